package lavaflow.jobs;

import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which pods for Volcano's scheduler are refused, in the words of its webhook. Functions of values. */
public final class GangPodRules {
    private static final List<String> BUDGETS = List.of(Volcano.MIN_AVAILABLE, Volcano.MAX_UNAVAILABLE);

    private GangPodRules() {}

    /**
     * Why a new pod may not be made; empty if it may.
     *
     * @param schedulers pods of others are none of our business
     */
    public static String refusal(ObjectNode pod, Set<String> schedulers) {
        JsonNode annotations = Json.at(pod, "metadata", "annotations");
        if (annotations == null || !schedulers.contains(Json.textAt(pod, "spec", "schedulerName"))) {
            return "";
        }
        int budgets = 0;
        for (String key : BUDGETS) {
            if (annotations.has(key)) {
                budgets++;
                String wrong = numberOrShare(key, Json.textAt(annotations, key));
                if (!wrong.isEmpty()) {
                    return wrong;
                }
            }
        }
        return budgets > 1
                ? "not allow configure multiple annotations <" + JobRules.shown(BUDGETS) + "> at same time"
                : "";
    }

    private static String numberOrShare(String key, String value) {
        try {
            return Integer.parseInt(value) > 0
                    ? ""
                    : "invalid value <" + FieldErrors.quoted(value) + "> for " + key
                            + ", it must be a positive integer";
        } catch (NumberFormatException _) {
            // It may be a share.
        }
        String digits = value.replace("%", "");
        try {
            long share = Long.parseLong(digits);
            return share > 0 && share < 100
                    ? ""
                    : "invalid value <" + FieldErrors.quoted(value) + "> for " + key
                            + ", it must be a valid percentage which between 1% ~ 99%";
        } catch (NumberFormatException _) {
            return "invalid value strconv.Atoi: parsing " + FieldErrors.quoted(digits) + ": invalid syntax for " + key;
        }
    }
}
