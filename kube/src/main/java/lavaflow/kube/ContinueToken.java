package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Where the next page of a list begins.
 *
 * @param revision the list is read at; negative where it goes on at the newest one
 * @param start the first key that may be in the next page, relative to the list; pages end after whole keys, so it is
 *     usually a key followed by a NUL
 */
public record ContinueToken(long revision, String start) {
    private static final String VERSION = "meta.k8s.io/v1";
    private static final String INVALID = "continue key is not valid";
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /** The page that follows a key. */
    public static ContinueToken after(String key, long revision) {
        return new ContinueToken(revision, key + "\0");
    }

    public String encode() {
        ObjectNode token = Json.object().put("v", VERSION).put("rv", revision).put("start", start);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(token));
    }

    /** Reads a token that a client sent back. */
    public static ContinueToken decode(String text) throws MalformedException {
        byte[] bytes = decodeBase64(text);
        JsonNode json;
        try {
            json = Json.parseUntrusted(bytes);
        } catch (JsonProcessingException e) {
            String complaint = GoJsonSyntax.complaint(bytes);
            throw invalid(complaint == null ? "unexpected end of JSON input" : complaint);
        }
        if (json.isMissingNode()) {
            throw invalid("unexpected end of JSON input");
        }
        if (!json.isObject() && !json.isNull()) {
            throw invalid("json: cannot unmarshal " + typeName(json) + " into Go value of type storage.continueToken");
        }
        return of(json);
    }

    private static ContinueToken of(JsonNode json) {
        String version = "";
        long revision = 0;
        String start = "";
        for (Map.Entry<String, JsonNode> field : json.properties()) {
            JsonNode value = field.getValue();
            if (value.isNull()) {
                continue;
            }
            // Go finds fields whatever their case.
            if (field.getKey().equalsIgnoreCase("v")) {
                version = text("v", value);
            } else if (field.getKey().equalsIgnoreCase("rv")) {
                revision = integer(value);
            } else if (field.getKey().equalsIgnoreCase("start")) {
                start = text("start", value);
            }
        }
        if (!version.equals(VERSION)) {
            throw new MalformedException(INVALID + ": server does not recognize this encoded version " + version);
        }
        if (revision == 0) {
            throw invalid("incorrect encoded start resourceVersion (version " + VERSION + ")");
        }
        if (start.isEmpty()) {
            throw invalid("encoded start key empty (version " + VERSION + ")");
        }
        if (!isClean(start)) {
            throw invalid(start);
        }
        return new ContinueToken(revision, start.startsWith("/") ? start.substring(1) : start);
    }

    private static MalformedException invalid(String why) {
        return new MalformedException(INVALID + ": " + why);
    }

    private static String typeName(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "array";
            case BOOLEAN -> "bool";
            case NUMBER -> "number";
            case STRING -> "string";
            default -> "object";
        };
    }

    private static MalformedException wrongType(String field, String found, String wanted) {
        return invalid("json: cannot unmarshal " + found + " into Go struct field continueToken." + field + " of type "
                + wanted);
    }

    private static String text(String field, JsonNode value) {
        if (!value.isTextual()) {
            throw wrongType(field, typeName(value), "string");
        }
        return value.textValue();
    }

    private static long integer(JsonNode value) {
        if (!value.isNumber()) {
            throw wrongType("rv", typeName(value), "int64");
        }
        if (!value.isLong()) {
            throw wrongType("rv", "number " + value.asText(), "int64");
        }
        return value.longValue();
    }

    /** A key that could climb out of the list's own range ({@code ..}, empty steps) is no key of ours. */
    private static boolean isClean(String start) {
        String key = start.startsWith("/") ? start.substring(1) : start;
        if (key.isEmpty()) {
            return true;
        }
        for (String step : key.split("/", -1)) {
            if (step.isEmpty() || step.equals(".") || step.equals("..")) {
                return false;
            }
        }
        return true;
    }

    /** As Java's decoder, but it names the place of the error as Go's does and skips line ends. */
    private static byte[] decodeBase64(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        int quantum = 0;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\r' || bytes[i] == '\n') {
                continue;
            }
            if (ALPHABET.indexOf(bytes[i]) < 0) {
                throw invalid("illegal base64 data at input byte " + i);
            }
            clean.append((char) bytes[i]);
            quantum = (quantum + 1) % 4;
        }
        if (quantum == 1) {
            throw invalid("illegal base64 data at input byte " + (bytes.length - 1));
        }
        return Base64.getUrlDecoder().decode(clean.toString());
    }
}
