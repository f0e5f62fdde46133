package lavaflow.kubelet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** How a container is asked how it is. */
record Probe(
        Kind kind,
        JsonNode spec,
        int initialDelaySeconds,
        int timeoutSeconds,
        int periodSeconds,
        int successThreshold,
        int failureThreshold) {
    /** What the answer decides. */
    enum Kind {
        STARTUP("startupProbe", "Startup"),
        LIVENESS("livenessProbe", "Liveness"),
        READINESS("readinessProbe", "Readiness");

        private final String field;
        private final String word;

        Kind(String field, String word) {
            this.field = field;
            this.word = word;
        }

        String field() {
            return field;
        }

        String word() {
            return word;
        }
    }

    static Probe of(Kind kind, JsonNode spec) {
        return new Probe(
                kind,
                spec,
                (int) Json.longAt(spec, 0, "initialDelaySeconds"),
                (int) Math.max(1, Json.longAt(spec, 1, "timeoutSeconds")),
                (int) Math.max(1, Json.longAt(spec, 10, "periodSeconds")),
                (int) Math.max(1, Json.longAt(spec, 1, "successThreshold")),
                (int) Math.max(1, Json.longAt(spec, 3, "failureThreshold")));
    }
}
