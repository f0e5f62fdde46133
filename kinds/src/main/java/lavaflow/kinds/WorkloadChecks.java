package lavaflow.kinds;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Identifiers;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks that the kinds which run, scale and protect pods share, with upstream's wording. */
final class WorkloadChecks {
    private WorkloadChecks() {}

    /** Numbers that count something; absent ones pass. */
    static void notNegative(@Nullable JsonNode parent, FieldPath path, FieldErrors errors, String... fields) {
        for (String field : fields) {
            FieldChecks.notNegative(parent, field, path, errors);
        }
    }

    /** A field that must stay what it was; an absent value and null are the same. */
    static void immutable(
            @Nullable JsonNode parent, @Nullable JsonNode old, FieldPath path, FieldErrors errors, String field) {
        FieldChecks.immutable(Json.at(parent, field), Json.at(old, field), path.child(field), errors);
    }

    /** One of a few words; absent counts as the empty word. */
    static void oneOf(@Nullable JsonNode parent, FieldPath path, FieldErrors errors, String field, List<String> words) {
        String value = Json.textAt(parent, field);
        if (!words.contains(value)) {
            errors.notSupported(path.child(field), value, words);
        }
    }

    /** An error that shows no value, because there is none worth showing. */
    static void invalidWithoutValue(FieldPath path, String why, FieldErrors errors) {
        errors.add(FieldError.Reason.INVALID, path, "Invalid value: " + why);
    }

    /** An unsupported value that is no string. */
    static void unsupported(FieldPath path, JsonNode value, String supported, FieldErrors errors) {
        errors.add(
                FieldError.Reason.NOT_SUPPORTED,
                path,
                "Unsupported value: " + Json.string(value) + ": supported values: " + supported);
    }

    /** A count or a percentage of something. */
    static void countOrPercent(@Nullable JsonNode value, FieldPath path, FieldErrors errors) {
        if (value != null && value.isTextual()) {
            FieldChecks.invalid(path, value.textValue(), Identifiers.percent(value.textValue()), errors);
        } else if (value != null && value.longValue() < 0) {
            errors.invalid(path, value, FieldChecks.NOT_NEGATIVE);
        }
    }

    static void atMost100Percent(@Nullable JsonNode value, FieldPath path, FieldErrors errors) {
        if (value != null && value.isTextual() && amount(value) > 100) {
            errors.invalid(path, value, "must not be greater than 100%");
        }
    }

    /** The number in a count or percentage; 0 where there is none that can be read. */
    static long amount(@Nullable JsonNode value) {
        if (value == null || !value.isTextual()) {
            return value == null ? 0 : value.longValue();
        }
        String text = value.textValue();
        String digits = Identifiers.percent(text).isEmpty() ? text.substring(0, text.length() - 1) : text;
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            // Go's Atoi answers with the largest number when the text is out of range.
            return digits.matches("[0-9]+") ? Long.MAX_VALUE : 0;
        }
    }

    /** What a selector chooses, or null where it cannot be read. */
    static @Nullable LabelSelector readable(@Nullable JsonNode selector) {
        try {
            return LabelSelector.fromJson(selector);
        } catch (MalformedException e) {
            return null;
        }
    }

    /** A map as Go prints it: sorted by key, null where it is empty. */
    static @Nullable JsonNode shownMap(@Nullable JsonNode map) {
        if (map == null || map.isEmpty()) {
            return null;
        }
        ObjectNode sorted = Json.object();
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(map).entrySet()) {
            sorted.set(entry.getKey(), entry.getValue());
        }
        return sorted;
    }

    /** A LabelSelector as Go prints it. */
    static @Nullable JsonNode shownSelector(@Nullable JsonNode selector) {
        if (selector == null) {
            return null;
        }
        ObjectNode shown = Json.object();
        JsonNode labels = shownMap(Json.at(selector, "matchLabels"));
        if (labels != null) {
            shown.set("matchLabels", labels);
        }
        if (!Nodes.emptyAt(selector, "matchExpressions")) {
            shown.set("matchExpressions", Json.at(selector, "matchExpressions"));
        }
        return shown;
    }

    /** A selector that must stay what it was. */
    static void immutableSelector(@Nullable JsonNode spec, @Nullable JsonNode old, FieldPath path, FieldErrors errors) {
        JsonNode selector = Json.at(spec, "selector");
        if (!Objects.equals(selector, Json.at(old, "selector"))) {
            errors.invalid(path.child("selector"), shownSelector(selector), FieldChecks.IMMUTABLE);
        }
    }
}
