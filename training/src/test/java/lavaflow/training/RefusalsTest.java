package lavaflow.training;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers of the webhooks of the training operator 1.9.4 itself, recorded by asking them ({@code e2e/training/refusals}). Where ours is another,
 * the recording says what in {@code here} and docs/compatibility.md says why.
 */
class RefusalsTest {
    /**
     * A question and its answer.
     *
     * @param text the line, which names it
     */
    record Recorded(JsonNode line, String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Recorded> recordings() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(RefusalsTest.class.getResourceAsStream("refusals.jsonl"), "refusals.jsonl")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().toList().stream().map(line -> new Recorded(Json.parse(line), line));
        }
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void answersAsUpstream(Recorded recorded) {
        JsonNode line = recorded.line();
        String resource = Training.lower(Json.textAt(line, "object", "kind")) + "s";
        TrainingRules.Answer answer = Objects.requireNonNull(TrainingRules.judge(
                resource, Objects.requireNonNull(Json.objectAt(line, "object")), Json.objectAt(line, "old")));
        JsonNode here = Json.at(line, "here");
        assertThat(inOrder(answer.refusal())).isEqualTo(here == null ? Json.textAt(line, "message") : here.textValue());
        List<String> warnings = Json.listAt(line, "warnings")
                .valueStream()
                .map(JsonNode::textValue)
                .toList();
        assertThat(answer.warnings()).isEqualTo(warnings);
    }

    /** Upstream looks at replica types in random order. */
    private static String inOrder(String message) {
        if (!message.startsWith("[") || !message.endsWith("]")) {
            return message;
        }
        return Arrays.stream(message.substring(1, message.length() - 1).split(", (?=(?:spec|metadata)[.\\[])", -1))
                .sorted()
                .collect(Collectors.joining(", ", "[", "]"));
    }
}
