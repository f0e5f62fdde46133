package lavaflow.kinds;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class PodActionsTest {
    @TestFactory
    Stream<DynamicTest> bindingAnswersAsUpstreamDoes() {
        return Recording.read("pod-bindings.jsonl")
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> {
                    ObjectNode[] bound = new ObjectNode[1];
                    ApiException refusal = catchThrowableOfType(ApiException.class, () -> {
                        PodBinding.check("p", recording.object());
                        bound[0] =
                                PodBinding.bind(Recording.decoded(recording.old()), recording.object(), Recording.NOW);
                    });
                    if (refusal != null && Json.longAt(recording.line(), 0, "code") == 500) {
                        // Upstream takes the client's mistake for its own: a departure, with its message.
                        assertThat(refusal.code()).isEqualTo(400);
                        assertThat(refusal.getMessage()).contains(Json.textAt(recording.line(), "message"));
                    } else if (refusal != null) {
                        assertRefused(refusal, recording);
                    } else {
                        assertThat(bound[0]).isEqualTo(recording.line().get("result"));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> evictionAnswersAsUpstreamDoes() {
        return Recording.read("pod-evictions.jsonl")
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> {
                    ObjectNode pod = Recording.decoded(recording.old());
                    List<ObjectNode> budgets = Nodes.objects(recording.line(), "also");
                    JsonNode after = recording.line().path("alsoAfter").path(0);
                    switch (EvictionRules.decide(pod, budgets)) {
                        case EvictionRules.Decision.Refused(ApiException refusal) -> assertRefused(refusal, recording);
                        case EvictionRules.Decision.Charged(ObjectNode budget) ->
                            assertThat(EvictionRules.charge(budget, "p", Recording.NOW))
                                    .isEqualTo(after);
                        case EvictionRules.Decision.Free() -> {
                            assertThat(recording.line().has("result")).isTrue();
                            if (!budgets.isEmpty()) {
                                assertThat(budgets.getFirst()).isEqualTo(after);
                            }
                        }
                    }
                    EvictionRules.mark(pod, Recording.NOW);
                    JsonNode left = recording.line().path("result").path("status");
                    if (left.isObject()) {
                        assertThat(pod.get("status")).isEqualTo(left);
                    }
                }));
    }

    private static void assertRefused(ApiException refusal, Recording recording) {
        assertThat((long) refusal.code()).isEqualTo(Json.longAt(recording.line(), 0, "code"));
        assertThat(refusal.getMessage()).isEqualTo(Json.textAt(recording.line(), "message"));
        assertThat(refusal.reason()).isEqualTo(Json.textAt(recording.line(), "reason"));
        assertThat(Objects.toString(refusal.status().get("details")))
                .isEqualTo(Objects.toString(Json.at(recording.line(), "details")));
    }

    @Test
    void podsThatNoKubeletRunsGoAtOnce() {
        ObjectNode pod =
                Json.parseObject("{\"spec\":{\"terminationGracePeriodSeconds\":30},\"status\":{\"phase\":\"Pending\"}}"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        PodRules rules = new PodRules();
        assertThat(rules.gracePeriod(pod, 5L)).isZero();
        Json.ensureObject(pod, "spec").put("nodeName", "n");
        assertThat(rules.gracePeriod(pod, null)).isEqualTo(30);
        assertThat(rules.gracePeriod(pod, 5L)).isEqualTo(5);
        assertThat(rules.gracePeriod(pod, -5L)).isEqualTo(1);
        Json.ensureObject(pod, "status").put("phase", "Failed");
        assertThat(rules.gracePeriod(pod, null)).isZero();
    }

    @Test
    void selectorsKnowTheFieldsOfPods() {
        ObjectNode pod = Json.parseObject(
                "{\"spec\":{\"nodeName\":\"n\",\"restartPolicy\":\"Never\"},\"status\":{\"phase\":\"Running\"}}"
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        PodRules rules = new PodRules();
        assertThat(rules.selectableField(pod, "spec.nodeName")).isEqualTo("n");
        assertThat(rules.selectableField(pod, "status.phase")).isEqualTo("Running");
        assertThat(rules.selectableField(pod, "spec.hostNetwork")).isEqualTo("false");
        assertThat(rules.selectableField(pod, "status.podIP")).isEmpty();
        assertThat(rules.selectableField(pod, "spec.other")).isNull();
        for (String field : rules.selectableFields()) {
            assertThat(rules.selectableField(pod, field)).as(field).isNotNull();
        }
    }

    @Test
    void theOnlyContainerNeedNotBeNamed() {
        ObjectNode pod = Json.object();
        Json.ensureObject(pod, "metadata").put("name", "p");
        ObjectNode spec = Json.ensureObject(pod, "spec");
        spec.putArray("containers").addObject().put("name", "c");
        spec.putArray("initContainers").addObject().put("name", "i");
        assertThat(PodStreams.container(pod, "")).isEqualTo("c");
        assertThat(PodStreams.container(pod, "i")).isEqualTo("i");
        assertThat(catchThrowableOfType(ApiException.class, () -> PodStreams.container(pod, "x")))
                .hasMessage("container x is not valid for pod p");
        spec.withArray("/containers").addObject().put("name", "d");
        assertThat(catchThrowableOfType(ApiException.class, () -> PodStreams.container(pod, "")))
                .hasMessage("a container name must be specified for pod p, choose one of: [i c d]");
        assertThat(catchThrowableOfType(ApiException.class, () -> PodStreams.node(pod)))
                .hasMessage("pod p does not have a host assigned");
    }
}
