package lavaflow;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.apiserver.Admission;
import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers of the webhooks of Volcano 1.14.1 itself, recorded by asking them about objects that differ in one thing each. Where ours is
 * another, the recording says why in {@code here}.
 */
class WebhookAnswersTest {
    /** Upstream lists them in random order. */
    private static final Pattern LISTS = Pattern.compile("(valid (?:events|actions) are \\[)([^\\]]*)");

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
        try (InputStream in = Objects.requireNonNull(
                WebhookAnswersTest.class.getResourceAsStream("webhook-answers.jsonl"), "webhook-answers.jsonl")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().toList().stream().map(line -> new Recorded(Json.parse(line), line));
        }
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void answersAsUpstream(Recorded recorded) {
        JsonNode line = recorded.line();
        Webhook webhook = Webhook.at(Json.textAt(line, "path")).orElseThrow();
        ObjectNode object =
                Objects.requireNonNull(Json.objectAt(line, "object")).deepCopy();
        String refusal = webhook.answer(new Webhook.Review(
                        Admission.Operation.valueOf(Json.textAt(line, "operation")),
                        "default",
                        object,
                        Json.objectAt(line, "old"),
                        new Cluster()))
                .refusal();
        JsonNode here = Json.at(line, "here");
        assertThat(inOrder(refusal)).isEqualTo(Json.textAt(here == null ? line : here, "message"));
        if (webhook.isMutating()) {
            assertThat(withoutEmpty(Objects.requireNonNull(Json.at(object, "spec"))))
                    .isEqualTo(withoutEmpty(Objects.requireNonNull(Json.at(line, "result"))));
        }
    }

    private static String inOrder(String message) {
        return LISTS.matcher(message).replaceAll(found -> {
            String[] words = found.group(2).split(" ", -1);
            Arrays.sort(words);
            return Matcher.quoteReplacement(found.group(1) + String.join(" ", words));
        });
    }

    /** Go writes empty parts that nobody wrote; only plugins may be there without arguments. */
    private static JsonNode withoutEmpty(JsonNode node) {
        if (node instanceof ArrayNode list) {
            ArrayNode copy = Json.array();
            list.forEach(each -> copy.add(withoutEmpty(each)));
            return copy;
        }
        if (!(node instanceof ObjectNode object)) {
            return node;
        }
        ObjectNode copy = Json.object();
        object.properties().forEach(field -> {
            boolean plugins = field.getKey().equals("plugins");
            JsonNode value = plugins ? field.getValue() : withoutEmpty(field.getValue());
            if (!value.isNull() && !(value.isContainerNode() && value.isEmpty())) {
                copy.set(field.getKey(), value);
            }
        });
        return copy;
    }

    /** The queues that were there. */
    private static final class Cluster implements Webhook.Cluster {
        private static ObjectNode queue(String name, String parent, String state) {
            return (ObjectNode) Json.parse(
                    "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"parent\":\"%s\"},\"status\":{\"state\":\"%s\"}}"
                            .formatted(name, parent, state));
        }

        @Override
        public List<ObjectNode> queues() {
            return List.of(
                    queue("root", "", "Open"),
                    queue("default", "root", "Open"),
                    queue("shut", "root", "Closed"),
                    queue("ending", "root", "Closing"),
                    queue("parent", "root", "Open"),
                    queue("child", "parent", "Open"));
        }

        @Override
        public @Nullable ObjectNode find(KubeApi.Kind kind, String namespace, String name) {
            return queues().stream()
                    .filter(queue -> kind.equals(Batch.QUEUES)
                            && Json.textAt(queue, "metadata", "name").equals(name))
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Set<String> schedulers() {
            return Set.of("volcano");
        }

        @Override
        public String scheduler() {
            return "volcano";
        }

        @Override
        public ResourceGroups resourceGroups() {
            return ResourceGroups.NONE;
        }
    }
}
