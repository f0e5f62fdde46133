package lavaflow.plugins;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON that somebody wrote into an annotation. */
final class JsonNote {
    private JsonNote() {}

    /** What is written there; an empty object if it is nothing, or no object. */
    static ObjectNode read(String text) {
        try {
            boolean written = !text.isBlank();
            return written && Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode object
                    ? object
                    : Json.object();
        } catch (JsonProcessingException e) {
            return Json.object();
        }
    }
}
