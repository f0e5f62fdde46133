package lavaflow.cluster;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A short name for a pod template. Upstream hashes how Go prints its own structs, which nobody else can; versions are
 * found by comparing templates, so names need only differ, not agree.
 */
final class TemplateHash {
    /** No vowels, no digits that look like some: no words appear by chance. */
    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private TemplateHash() {}

    /**
     * @param collisions how often the name was taken by another template
     */
    static String of(JsonNode template, long collisions) {
        byte[] bytes =
                (Json.string(template) + (collisions == 0 ? "" : "#" + collisions)).getBytes(StandardCharsets.UTF_8);
        int hash = 0x811c9dc5;
        for (byte each : bytes) {
            hash = (hash ^ (each & 0xff)) * 0x01000193;
        }
        return spell(hash);
    }

    /** A number in letters that are safe in names. */
    static String spell(int hash) {
        StringBuilder name = new StringBuilder();
        for (char digit : Integer.toUnsignedString(hash).toCharArray()) {
            name.append(ALPHABET.charAt(digit % ALPHABET.length()));
        }
        return name.toString();
    }
}
