package lavaflow.kinds;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Validation of a pod's spec, in a pod and in every template. */
public final class PodSpecRules {
    private PodSpecRules() {}

    static void validateTemplateSpec(ObjectNode spec, FieldPath path, FieldErrors errors) {}
}
