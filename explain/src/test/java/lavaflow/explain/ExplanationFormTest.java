package lavaflow.explain;

import java.util.Set;

import lavaflow.gang.MemberSpec;
import lavaflow.kube.Json;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.explain.TestingClusters.cpus;
import static org.assertj.core.api.Assertions.assertThat;

class ExplanationFormTest {
    private static JsonNode found(JsonNode list, String key, String value) {
        return list.valueStream()
                .filter(each -> Json.textAt(each, key).equals(value))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everythingIsThereForMachines() {
        ObjectNode document = ExplanationForm.of(new TestingClusters()
                .node("a", 4, 0)
                .runs("old", 3, "a", cpus(1))
                .gang("new", 2, cpus(1))
                .explain("new"));
        assertThat(Json.textAt(document, "apiVersion")).isEqualTo("explain.lavaflow.dev/v1");
        assertThat(Json.textAt(document, "kind")).isEqualTo("PodGroupExplanation");
        assertThat(Json.textAt(document, "metadata", "namespace")).isEqualTo("ns");
        JsonNode nodes = found(Json.listAt(document, "stages"), "stage", "Nodes");
        assertThat(Json.textAt(nodes, "verdict")).isEqualTo("Blocked");
        assertThat(Json.string(Json.listAt(nodes, "findings").get(0)))
                .isEqualTo(
                        "{\"reason\":\"NoNode\",\"message\":\"1 of 2 pods that ask for cpu 1 each fit on no node: missing"
                                + " cpu 1\",\"role\":\"\",\"pods\":2,\"fitting\":1,\"firstPod\":\"new-0\",\"nodes\":1,"
                                + "\"request\":{\"cpu\":\"1\"},\"missing\":{\"cpu\":\"1\"},\"reasons\":[{\"reason\":\"Insufficient cpu\","
                                + "\"nodes\":1,\"preemptionHelps\":true,\"examples\":[\"a\"]}]}");
        assertThat(Json.string(
                        Json.listAt(document, "remedies").get(0).path("changes").get(0)))
                .isEqualTo(
                        "{\"type\":\"EndJob\",\"text\":\"ns/old (queue default, 3 pods) must end, which frees cpu 3\","
                                + "\"podGroup\":\"ns/old\",\"queue\":\"default\",\"pods\":3,\"frees\":{\"cpu\":\"3\"}}");
    }

    @Test
    void aJobIsCalledByItsNameWithoutTheUidOfItsGroup() {
        String uid = "-f01fe2bf-804c-4577-8686-32060b1549e1";
        assertThat(Explanation.job("ns/old" + uid)).isEqualTo("ns/old");
        assertThat(Explanation.job("ns/tfjob")).isEqualTo("ns/tfjob");
        assertThat(Explanation.job("ns/podgroup" + uid)).isEqualTo("ns/podgroup" + uid);
        assertThat(Explanation.job("a job of another namespace")).isEqualTo("a job of another namespace");
    }

    @Test
    void numbersAreTheSameKindAsWhatIsReadBack() {
        ObjectNode document = ExplanationForm.of(
                new TestingClusters().node("a", 1, 0).gang("new", 2, cpus(1)).explain("new"));
        assertThat(Json.parse(Json.string(document))).isEqualTo(document);
    }

    @Test
    void jobsOfOtherNamespacesHaveNoNameForWhoMustNotKnow() {
        Explanation explanation = new TestingClusters()
                .configured(TestingClusters.PREEMPTING)
                .node("a", 4, 0)
                .runs("secret", 1, "a", cpus(2))
                .stranger("hidden", "a", cpus(1))
                .gang("new", 4, cpus(1))
                .explain("new");
        assertThat(ExplanationForm.of(explanation).toString()).contains("ns/secret", "ns/hidden");
        assertThat(ExplanationForm.of(explanation.seenFrom("ns"))).isEqualTo(ExplanationForm.of(explanation));
        assertThat(ExplanationForm.of(explanation.seenFrom("elsewhere")).toString())
                .doesNotContain("ns/secret", "ns/hidden")
                .contains(
                        "a job of another namespace (queue default, 1 pod) must end, which frees cpu 2",
                        "a pod of another namespace must end, which frees cpu 1");
    }

    // ---- pods of no gang ----

    private static ScheduledPod pod(String cpus) {
        return MemberSpec.of((ObjectNode) Json.parse("""
                {"metadata":{"namespace":"ns","name":"p","uid":"u"},"spec":{"schedulerName":"default-scheduler",
                 "containers":[{"name":"c","resources":{"requests":{"cpu":"%s"}}}]},"status":{"phase":"Pending"}}""".formatted(cpus)), Set.of())
                .pod();
    }

    @Test
    void aPodOfNoGangIsToldWhoHasToLeaveANode() {
        TestingClusters cluster = new TestingClusters()
                .node("a", 4, 0)
                .node("b", 2, 0)
                .stranger("one", "a", cpus(2))
                .stranger("two", "a", cpus(2))
                .stranger("three", "b", cpus(1));
        Explanation explanation = new PlainPod(cluster.core.snapshot(cluster.now), pod("2")).explain();
        assertThat(explanation.headline()).isEqualTo("Pod ns/p waits for room: it asks for cpu 2 and fits on no node.");
        assertThat(explanation.remedies().stream().map(Explanation.Remedy::summary))
                .containsExactly(
                        "pod ns/two must end, which frees cpu 2",
                        "pod ns/three must end, which frees cpu 1",
                        "add 1 more node with cpu 2");
    }

    @Test
    void aPodThatHasANodeToGoToWaitsForItsTurn() {
        TestingClusters cluster = new TestingClusters().node("a", 4, 0);
        assertThat(new PlainPod(cluster.core.snapshot(cluster.now), pod("2"))
                        .explain()
                        .headline())
                .isEqualTo("Pod ns/p waits for its turn: 1 node would take it.");
    }
}
