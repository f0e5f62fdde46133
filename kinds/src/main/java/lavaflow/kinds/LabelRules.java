package lavaflow.kinds;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.LabelSelectorRules;
import lavaflow.kube.ObjectMetaRules;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Labels and selectors inside specs, under the names the rules of kinds use. */
final class LabelRules {
    private LabelRules() {}

    /** A map of labels. */
    static void labels(@Nullable JsonNode labels, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labels(labels, path, errors);
    }

    static void key(String key, FieldPath path, FieldErrors errors) {
        ObjectMetaRules.labelName(key, path, errors);
    }

    /** A LabelSelector; none at all is fine. */
    static void selector(@Nullable JsonNode selector, FieldPath path, FieldErrors errors) {
        LabelSelectorRules.check(selector, path, errors);
    }
}
