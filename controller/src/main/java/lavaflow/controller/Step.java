package lavaflow.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One change a controller wants to make. A value: it can be compared, counted and printed before anything happens. */
public sealed interface Step {
    KubeApi.Kind kind();

    /** Makes an object; refused if one with its name is there. */
    record Create(KubeApi.Kind kind, String namespace, ObjectNode object) implements Step {}

    /**
     * Replaces an object, or the part that a subresource is; refused if somebody changed it since it was read, unless it
     * carries no resourceVersion.
     */
    record Update(KubeApi.Kind kind, String subresource, ObjectNode object) implements Step {}

    /** Changes some fields, whoever else writes. */
    record Patch(
            KubeApi.Kind kind, String namespace, String name, String subresource, KubeApi.Merge merge, ObjectNode patch)
            implements Step {}

    /** Deletes one object and no other of the same name; done already if it is gone. */
    record Delete(KubeApi.Kind kind, String namespace, String name, KubeApi.Deletion deletion) implements Step {}
}
