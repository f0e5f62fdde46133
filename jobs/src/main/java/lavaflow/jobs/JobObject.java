package lavaflow.jobs;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * An object that a plugin wants beside a Job, with its name; namespace and owner come from the Job.
 *
 * @param object whole, with its content where plugins of its kind have it: {@code data}, {@code spec}
 */
public record JobObject(KubeApi.Kind kind, ObjectNode object, Upkeep upkeep) {
    /** What becomes of an object that is there already. */
    public enum Upkeep {
        /** It stays as it was made: pods hold on to what it said then. */
        ONCE,
        /** It follows the Job; only the fields that are in {@link #object} are looked at. */
        FOLLOWS
    }

    public String name() {
        return object.path("metadata").path("name").asText();
    }
}
