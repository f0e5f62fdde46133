package lavaflow.scheduler;

import lavaflow.placement.ScheduledPod;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.json;
import static lavaflow.scheduler.TestingCluster.labels;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Which nodes may take a pod, and what is said of the others. */
class FilterTest {
    private static final String NOT_HELPFUL =
            " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    private static final String NO_VICTIMS =
            " no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";

    private final TestingCluster cluster = new TestingCluster();

    @Test
    void withoutNodesThereIsNothingToChooseFrom() {
        assertThat(cluster.pod("p").outcome()).isEqualTo("no nodes available to schedule pods");
    }

    @Test
    void aPodWithoutWishesGoesAnywhere() {
        assertThat(cluster.node("n").pod("p").outcome()).isEqualTo("n");
    }

    @Test
    void cordonedNodesAreLeftOut() {
        cluster.node("n", "{\"spec\":{\"unschedulable\":true}}").pod("p");
        assertThat(cluster.outcome()).isEqualTo("0/1 nodes are available: 1 node(s) were unschedulable." + NOT_HELPFUL);
    }

    @Test
    void aTolerationOfTheCordonIsEnough() {
        cluster.node("n", "{\"spec\":{\"unschedulable\":true}}").pod("p", """
                {"spec":{"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoSchedule"}]}}""");
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void taintsKeepOffWhoDoesNotTolerateThem() {
        cluster.node("n", "{\"spec\":{\"taints\":[{\"key\":\"gpu\",\"value\":\"yes\",\"effect\":\"NoSchedule\"}]}}")
                .pod("p");
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 node(s) had untolerated taint(s)." + NOT_HELPFUL);
        cluster.pod("q", "{\"spec\":{\"tolerations\":[{\"key\":\"gpu\",\"operator\":\"Equal\",\"value\":\"yes\"}]}}");
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void labelsMustFitSelectorAndAffinity() {
        cluster.node("n").pod("p", "{\"spec\":{\"nodeSelector\":{\"zone\":\"b\"}}}");
        assertThat(cluster.outcome())
                .isEqualTo(
                        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector." + NOT_HELPFUL);
        cluster.pod("q", """
                {"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                {"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}}}}}""");
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    private static String named(String... terms) {
        return """
                {"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[%s]}}}}}""".formatted(String.join(",", terms));
    }

    private static String field(String operator, String... nodes) {
        return "{\"key\":\"metadata.name\",\"operator\":\"%s\",\"values\":[\"%s\"]}"
                .formatted(operator, String.join("\",\"", nodes));
    }

    @Test
    void nodesThatAPodDoesNotNameAreNotLookedAt() {
        cluster.node("n", "{\"spec\":{\"unschedulable\":true}}").node("m").node("o");
        cluster.pod(
                "p",
                named("{\"matchFields\":[" + field("In", "n") + "]}", "{\"matchFields\":[" + field("In", "m") + "]}"),
                requests("{\"cpu\":\"100\"}"));
        assertThat(cluster.outcome())
                .startsWith("0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s)"
                        + " [NodeAffinity], 1 node(s) were unschedulable. no new claims to deallocate, preemption:"
                        + " 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
    }

    @Test
    void aTermWithoutNamesLeavesAllNodesOpen() {
        cluster.node("n").node("m");
        cluster.pod(
                "p",
                named(
                        "{\"matchFields\":[" + field("In", "n") + "]}",
                        "{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"b\"]}]}"),
                requests("{\"cpu\":\"100\"}"));
        assertThat(cluster.outcome())
                .startsWith("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node"
                        + " affinity/selector.");
        cluster.pod("q", named("{\"matchFields\":[" + field("NotIn", "n", "m") + "]}"));
        assertThat(cluster.outcome())
                .startsWith("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.");
    }

    @Test
    void namesThatContradictEachOtherAreToldAtOnce() {
        cluster.node("n").node("m");
        cluster.pod("p", named("{\"matchFields\":[" + field("In", "n") + "," + field("In", "m") + "]}"));
        assertThat(cluster.outcome()).isEqualTo("0/2 nodes are available: pod affinity terms conflict. not found");
    }

    @Test
    void everyMissingResourceIsTold() {
        cluster.node("n").running("r", "n", requests("{\"cpu\":\"3\",\"memory\":\"7Gi\"}"));
        cluster.pod("p", requests("{\"cpu\":\"2\",\"memory\":\"2Gi\"}"));
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory." + NO_VICTIMS);
    }

    @Test
    void whatNoNodeEverHadCannotBeMadeRoomFor() {
        cluster.node("n").pod("p", requests("{\"nvidia.com/gpu\":\"3\"}"));
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 Insufficient nvidia.com/gpu." + NOT_HELPFUL);
    }

    @Test
    void unknownResourcesAreMissingEverywhere() {
        cluster.node("n").pod("p", requests("{\"example.com/thing\":\"1\"}"));
        assertThat(cluster.outcome()).startsWith("0/1 nodes are available: 1 Insufficient example.com/thing.");
    }

    @Test
    void nodesTakeOnlySoManyPods() {
        cluster.node("n", "{\"status\":{\"allocatable\":{\"pods\":\"1\"}}}")
                .running("r", "n")
                .pod("p");
        assertThat(cluster.outcome()).isEqualTo("0/1 nodes are available: 1 Too many pods." + NO_VICTIMS);
    }

    @Test
    void podsThatEndedTakeNoRoom() {
        cluster.node("n", "{\"status\":{\"allocatable\":{\"pods\":\"1\"}}}")
                .running("r", "n", "{\"status\":{\"phase\":\"Running\"}}");
        ScheduledPod ended = ScheduledPod.of(
                TestingCluster.podObject("r", "{\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"Succeeded\"}}"));
        cluster.core.onPod(ended, cluster.now);
        assertThat(cluster.pod("p").outcome()).isEqualTo("n");
    }

    @Test
    void hostPortsAreTakenOnce() {
        String port =
                "{\"spec\":{\"containers\":[{\"name\":\"c\",\"ports\":[{\"hostPort\":80,\"containerPort\":80}]}]}}";
        cluster.node("n").running("r", "n", port).pod("p", port);
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
                        + NO_VICTIMS);
        cluster.pod("q", port.replace("80,", "81,"));
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void otherAddressesOfANodeHaveOtherPorts() {
        String port = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"ports\":[{\"hostPort\":80,\"hostIP\":\"%s\"}]}]}}";
        cluster.node("n").running("r", "n", port.formatted("127.0.0.1"));
        assertThat(cluster.pod("p", port.formatted("127.0.0.2")).outcome()).isEqualTo("n");
        assertThat(cluster.pod("q", port.formatted("0.0.0.0")).outcome()).contains("free ports");
    }

    @Test
    void gatedPodsAndPodsOfOtherSchedulersAreNotOurs() {
        cluster.node("n")
                .pod("p", "{\"spec\":{\"schedulingGates\":[{\"name\":\"g\"}]}}")
                .pod("q", "{\"spec\":{\"schedulerName\":\"other\"}}");
        assertThat(cluster.decide()).isEmpty();
        cluster.pod("p");
        assertThat(cluster.placements()).containsExactly("p on n");
    }

    // ---- neighbours ----

    private static String anti(String app, String key) {
        return """
                {"spec":{"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
                {"labelSelector":{"matchLabels":{"app":"%s"}},"topologyKey":"%s"}]}}}}""".formatted(app, key);
    }

    private static String near(String app, String key) {
        return anti(app, key).replace("podAntiAffinity", "podAffinity");
    }

    @Test
    void podsThatKeepApartDo() {
        cluster.node("n").node("m").running("r", "n", labels("web"));
        assertThat(cluster.pod("p", anti("web", "kubernetes.io/hostname")).outcome())
                .isEqualTo("m");
        assertThat(cluster.pod("q", anti("web", "zone")).outcome())
                .startsWith("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
    }

    @Test
    void podsThatAreKeptAwayStayAway() {
        cluster.node("n").running("r", "n", anti("web", "zone")).pod("p", labels("web"));
        assertThat(cluster.outcome())
                .startsWith("0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.");
        assertThat(cluster.pod("q", labels("db")).outcome()).isEqualTo("n");
    }

    @Test
    void replicasThatKeepApartGetANodeEach() {
        cluster.node("a").node("b").node("c");
        for (int i = 0; i < 4; i++) {
            cluster.pod("p" + i, labels("web"), anti("web", "kubernetes.io/hostname"));
        }
        assertThat(cluster.placements()).containsExactly("p0 on a", "p1 on b", "p2 on c");
    }

    @Test
    void podsThatMustBeNearFollow() {
        cluster.node("n")
                .node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}")
                .running("r", "m", labels("db"));
        assertThat(cluster.pod("p", near("db", "zone")).outcome()).isEqualTo("m");
        assertThat(cluster.pod("q", near("cache", "zone")).outcome())
                .isEqualTo(
                        "0/2 nodes are available: 2 node(s) didn't match pod affinity rules."
                                + " no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    }

    @Test
    void theFirstOfThoseThatStickTogetherMayGoAnywhere() {
        cluster.node("n").node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}");
        for (int i = 0; i < 3; i++) {
            cluster.pod("p" + i, labels("web"), near("web", "zone"));
        }
        assertThat(cluster.placements()).containsExactly("p0 on n", "p1 on n", "p2 on n");
    }

    @Test
    void podsOfOtherNamespacesCountOnlyWhereTheyAreMeant() {
        cluster.node("n").running("r", "n", labels("web"), "{\"metadata\":{\"namespace\":\"other\"}}");
        assertThat(cluster.pod("p", anti("web", "zone")).outcome()).isEqualTo("n");
        cluster.core.onNamespace("other", json("{\"team\":\"x\"}"), cluster.now);
        String wide = anti("web", "zone")
                .replace("\"topologyKey\"", "\"namespaceSelector\":{\"matchLabels\":{\"team\":\"x\"}},\"topologyKey\"");
        assertThat(cluster.pod("q", wide).outcome()).contains("anti-affinity rules");
    }

    private static String spread(String key, String rest) {
        return """
                {"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"%s","whenUnsatisfiable":"DoNotSchedule",
                "labelSelector":{"matchLabels":{"app":"web"}}%s}]}}""".formatted(key, rest);
    }

    @Test
    void podsAreSpreadEvenly() {
        cluster.node("n")
                .node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}")
                .running("r", "n", labels("web"));
        assertThat(cluster.pod("p", labels("web"), spread("zone", "")).outcome())
                .isEqualTo("m");
    }

    @Test
    void aSpreadThatCannotBeKeptRefuses() {
        cluster.node("n")
                .node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}", "{\"spec\":{\"unschedulable\":true}}")
                .running("r", "n", labels("web"))
                .pod("p", labels("web"), spread("zone", ""));
        assertThat(cluster.outcome())
                .startsWith("0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints,"
                        + " 1 node(s) were unschedulable.");
    }

    @Test
    void placesThePodRefusesDoNotCount() {
        cluster.node("n")
                .node("m", "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}")
                .running("r", "n", labels("web"))
                .pod("p", labels("web"), spread("zone", ""), "{\"spec\":{\"nodeSelector\":{\"zone\":\"a\"}}}");
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void nodesWithoutTheLabelAreOut() {
        cluster.node("n").pod("p", labels("web"), spread("rack", ""));
        assertThat(cluster.outcome())
                .isEqualTo("0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints"
                        + " (missing required label)." + NOT_HELPFUL);
    }

    @Test
    void tooFewPlacesCountAsEmptyOnes() {
        cluster.node("n").running("r", "n", labels("web"));
        assertThat(cluster.pod("p", labels("web"), spread("zone", ",\"minDomains\":2"))
                        .outcome())
                .contains("topology spread constraints");
    }

    @Test
    void podsOnTheirWayOutAreNotSpread() {
        cluster.node("n")
                .node(
                        "m",
                        "{\"metadata\":{\"labels\":{\"zone\":\"b\"}}}",
                        "{\"status\":{\"allocatable\":{\"cpu\":\"1\"}}}")
                .running("r", "n", labels("web"), "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T12:00:00Z\"}}");
        assertThat(cluster.pod("p", labels("web"), spread("zone", "")).outcome())
                .isEqualTo("n");
    }
}
