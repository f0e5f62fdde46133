package lavaflow.apiserver;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.StrictJson;

import com.fasterxml.jackson.databind.JsonNode;

final class Yaml {
    private Yaml() {}

    static StrictJson.Document parse(byte[] body) throws DecodingException {
        return StrictJson.parse(body, StrictJson.Repeated.REPLACE);
    }

    static String write(JsonNode node) {
        return Json.pretty(node);
    }
}
