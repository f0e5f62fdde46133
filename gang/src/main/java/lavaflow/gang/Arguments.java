package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a plugin or an action is told in the configuration file. As strict about types as upstream: a whole number must be written as
 * one, a flag may also be text. What has the wrong type counts as absent, and is told.
 */
public final class Arguments {
    static final Arguments NONE = new Arguments("", Json.object());

    private final String owner;
    private final ObjectNode values;
    private final List<String> complaints = new ArrayList<>();

    /**
     * What was written.
     *
     * @param owner whose arguments they are, for what is told
     */
    Arguments(String owner, ObjectNode values) {
        this.owner = owner;
        this.values = values;
    }

    /** The keys that begin with some text, in order. */
    public List<String> keys(String prefix) {
        TreeSet<String> keys = new TreeSet<>();
        values.fieldNames().forEachRemaining(key -> {
            if (key.startsWith(prefix)) {
                keys.add(key);
            }
        });
        return List.copyOf(keys);
    }

    /** A whole number. */
    public int integer(String key, int absent) {
        JsonNode value = values.get(key);
        if (value == null) {
            return absent;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            return refused(key, value, "a whole number", absent);
        }
        return value.asInt();
    }

    /** Any number. */
    public double number(String key, double absent) {
        JsonNode value = values.get(key);
        if (value == null) {
            return absent;
        }
        return value.isNumber() ? value.asDouble() : refused(key, value, "a number", absent);
    }

    /** A flag, also as text. */
    public boolean flag(String key, boolean absent) {
        JsonNode value = values.get(key);
        if (value == null) {
            return absent;
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        return switch (value.isTextual() ? value.asText() : "") {
            case "1", "t", "T", "TRUE", "true", "True" -> true;
            case "0", "f", "F", "FALSE", "false", "False" -> false;
            default -> refused(key, value, "true or false", absent);
        };
    }

    /** Any text. */
    public String text(String key, String absent) {
        JsonNode value = values.get(key);
        if (value == null) {
            return absent;
        }
        return value.isTextual() ? value.asText() : refused(key, value, "text", absent);
    }

    /** Names with commas between them. */
    public List<String> names(String key) {
        List<String> names = new ArrayList<>();
        for (String name : text(key, "").split(",", -1)) {
            if (!name.isBlank()) {
                names.add(name.strip());
            }
        }
        return names;
    }

    /** Whatever there is, for what has a structure of its own; JSON null if nothing. */
    public JsonNode structure(String key) {
        return values.path(key);
    }

    private <T> T refused(String key, JsonNode value, String wanted, T absent) {
        complaints.add(owner + ": argument " + key + " must be " + wanted + ", not " + value + "; " + absent
                + " is used instead");
        return absent;
    }

    /** What was not understood so far. */
    public List<String> complaints() {
        return Collections.unmodifiableList(complaints);
    }
}
