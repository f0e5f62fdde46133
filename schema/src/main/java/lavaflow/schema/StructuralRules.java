package lavaflow.schema;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Whether a schema is structural: every value has a type, and nothing is used that pruning could not follow. */
public final class StructuralRules {
    private StructuralRules() {}

    /** Checks the schema of a version. */
    public static void check(ObjectNode props, FieldPath path, FieldErrors errors) {}
}
