package lavaflow.controller;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Hears of changes. Must be quick: it runs on the thread that follows. */
@FunctionalInterface
public interface ChangeListener {
    void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted);

    /** The kind was listed anew: whatever happened in between may have been missed. */
    default void onRelist(KubeApi.Kind kind) {}

    /**
     * Whether the listener must be told if the object disappears while nobody looks (the watch broke and the object is
     * missing from the next list). Costs memory per object.
     */
    default boolean remembers(ObjectNode object) {
        return true;
    }

    /** What to keep of an object for that moment: its identity. */
    default ObjectNode memory(ObjectNode object) {
        ObjectNode kept = Json.object();
        ObjectNode metadata = kept.putObject("metadata");
        for (String field : new String[] {"name", "namespace", "uid"}) {
            metadata.put(field, Json.textAt(object, "metadata", field));
        }
        return kept;
    }
}
