package lavaflow.controller;

import java.util.Set;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Hears of changes: of every object that exists, and of every one that goes while the watch holds. Must be quick: all
 * listeners of a kind share one thread.
 */
public interface ChangeListener {
    /**
     * An object exists, or is gone; it may be told more than once.
     *
     * @param object type and metadata; the rest only where a listener of the kind asked for it
     */
    void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted);

    /**
     * The kind was listed anew after changes were missed. What exists has been told through {@link #onChange}; whoever
     * knows of an object that is not among these was not told that it went.
     */
    void onRelist(KubeApi.Kind kind, Set<String> uids);

    /** A kind that was not there at the start is being followed from now on. */
    default void onNewKind(KubeApi.Kind kind) {}
}
