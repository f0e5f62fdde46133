package lavaflow.plugins;

import java.util.ArrayList;
import java.util.List;

import lavaflow.gang.Decision;
import lavaflow.gang.NumatopologySpec;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.json;
import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;

/** Processors near one memory. */
class NumaAwareTest {
    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "allocate"
            tiers:
            - plugins:
              - name: gang
              - name: predicates
              - name: numa-aware
            """);

    /** A node of two sockets with a memory and four processors each: 0, 1 / 2, 3 and 4, 5 / 6, 7 are cores. */
    private void node(String name, String policy, String free, String... changes) {
        ObjectNode topology = json("""
                {"metadata":{"name":"%s"},"spec":{"policies":{"CPUManagerPolicy":"static","TopologyManagerPolicy":"%s"},
                 "numares":{"cpu":{"allocatable":"%s","capacity":8}}}}""".formatted(name, policy, free), changes);
        ObjectNode detail = Json.ensureObject(topology, "spec", "cpuDetail");
        for (int cpu = 0; cpu < 8; cpu++) {
            detail.putObject(String.valueOf(cpu))
                    .put("numa", cpu / 4)
                    .put("socket", cpu / 4)
                    .put("core", cpu / 2);
        }
        gangs.core.onNumatopology(NumatopologySpec.of(topology));
    }

    private void machine(String name, String policy, String free, String... changes) {
        gangs.node(name, 8);
        node(name, policy, free, changes);
    }

    private static String guaranteed(String processors) {
        String amounts = "{\"cpu\":\"" + processors + "\",\"memory\":\"1Gi\"}";
        return "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":" + amounts + ",\"limits\":"
                + amounts + "}}]}}";
    }

    private static String policy(String policy) {
        return TestingGangs.annotated("volcano.sh/numa-topology-policy", policy);
    }

    private void pod(String name, String processors, String... changes) {
        String[] all = new String[changes.length + 1];
        all[0] = guaranteed(processors);
        System.arraycopy(changes, 0, all, 1, changes.length);
        gangs.group(name, 1);
        gangs.pod(name, name, all);
    }

    /** Which pod got which node and what is written about it. */
    private List<String> decided() {
        List<String> decided = new ArrayList<>();
        for (Decision decision : gangs.decide()) {
            if (decision instanceof Decision.Bind bind) {
                String note = Json.textAt(bind.annotations(), NumaAwarePlugin.DECISION);
                decided.add((bind.member().spec().pod().name() + "@" + bind.node() + " " + note).strip());
            }
        }
        return decided;
    }

    private String reason(String group) {
        return gangs.core.findGang("ns/" + group).waiting().getFirst().message();
    }

    @Test
    void onlyNodesOfThePolicyThatAPodAsksForComeIntoQuestion() {
        gangs.node("unknown", 8);
        machine("shared", "single-numa-node", "0-7", "{\"spec\":{\"policies\":{\"CPUManagerPolicy\":\"none\"}}}");
        machine("other", "best-effort", "0-7");
        machine("full", "single-numa-node", "");
        pod("p", "2", policy("single-numa-node"));
        assertThat(decided()).isEmpty();
        assertThat(reason("p"))
                .contains("1 numa info is empty")
                .contains("1 cpu manager policy isn't static")
                .contains("1 task topology policy[single-numa-node] is different with node[best-effort]")
                .contains("1 cpu allocatable map is empty");

        machine("right", "single-numa-node", "0-7");
        assertThat(decided()).containsExactly("p@right {\"numa\":{\"0\":{\"cpu\":\"2\"}}}");
    }

    @Test
    void whatHasNoProcessorsOfItsOwnGoesAnywhere() {
        machine("n", "single-numa-node", "0");
        gangs.gang("burstable", 1);
        assertThat(decided()).containsExactly("burstable-0@n");
        pod("part", "1500m");
        assertThat(decided()).containsExactly("part@n");
    }

    @Test
    void oneMemoryMustDoWhereTheNodeInsists() {
        machine("n", "single-numa-node", "0-2,4-6");
        pod("large", "4");
        assertThat(decided()).isEmpty();
        assertThat(reason("large")).contains("plugin numa-aware predicates failed");
        pod("fits", "3");
        assertThat(decided()).containsExactly("fits@n {\"numa\":{\"0\":{\"cpu\":\"3\"}}}");
    }

    /** Five processors are never near one memory, so two are as good as it gets. */
    @Test
    void restrictedTakesAsFewMemoriesAsCouldDo() {
        machine("n", "restricted", "0-6");
        pod("wide", "5");
        assertThat(decided()).containsExactly("wide@n {\"numa\":{\"0\":{\"cpu\":\"4\"},\"1\":{\"cpu\":\"1\"}}}");

        machine("m", "restricted", "0-1,4-5");
        pod("torn", "4", "{\"spec\":{\"nodeSelector\":{\"kubernetes.io/hostname\":\"m\"}}}");
        assertThat(decided()).as("four could be near one memory, but are not").isEmpty();
    }

    @Test
    void bestEffortTakesWhatThereIs() {
        machine("n", "best-effort", "0-1,4-5");
        pod("torn", "4");
        assertThat(decided()).containsExactly("torn@n {\"numa\":{\"0\":{\"cpu\":\"2\"},\"1\":{\"cpu\":\"2\"}}}");
    }

    @Test
    void nodesThatDoNotLookAtMemoryTakeAnybody() {
        machine("n", "none", "0-1,4-5");
        pod("torn", "4");
        assertThat(decided()).containsExactly("torn@n");
    }

    @Test
    void podsJustPlacedHaveTheirProcessorsUntilTheNodeTells() {
        machine("n", "single-numa-node", "0-7");
        pod("a", "3");
        assertThat(decided()).hasSize(1);
        pod("b", "3");
        assertThat(decided()).containsExactly("b@n {\"numa\":{\"1\":{\"cpu\":\"3\"}}}");
        pod("c", "2");
        assertThat(decided()).as("two are left, but not near one memory").isEmpty();

        gangs.pod("a", "a", guaranteed("3"), running("n"));
        gangs.pod("b", "b", guaranteed("3"), running("n"));
        assertThat(decided()).isEmpty();
        node("n", "single-numa-node", "2-3");
        assertThat(decided())
                .as("the kubelet dealt otherwise")
                .containsExactly("c@n {\"numa\":{\"0\":{\"cpu\":\"2\"}}}");
    }

    @Test
    void afterARestartPodsTellWhatTheyWillGet() {
        machine("n", "single-numa-node", "0-7");
        gangs.group("a", 1)
                .pod(
                        "a",
                        "a",
                        guaranteed("3"),
                        "{\"metadata\":{\"annotations\":{\"volcano.sh/topology-decision\":\"{\\\"numa\\\":{\\\"0\\\":{\\\"cpu\\\":\\\"3\\\"}}}\"}},"
                                + "\"spec\":{\"nodeName\":\"n\"}}");
        pod("b", "2");
        assertThat(decided()).containsExactly("b@n {\"numa\":{\"1\":{\"cpu\":\"2\"}}}");
    }

    @Test
    void whatTheSystemKeepsIsNotDealtOut() {
        machine("n", "single-numa-node", "0-7", "{\"spec\":{\"resReserved\":{\"cpu\":\"1500m\"}}}");
        pod("a", "4");
        assertThat(decided()).containsExactly("a@n {\"numa\":{\"1\":{\"cpu\":\"4\"}}}");
        pod("b", "3");
        assertThat(decided()).isEmpty();
    }

    @Test
    void everyContainerIsDealtForItself() {
        machine("n", "single-numa-node", "0-7");
        gangs.group("p", 1).pod("p", "p", """
                {"spec":{"containers":[
                 {"name":"a","resources":{"requests":{"cpu":"3","memory":"1Gi"},"limits":{"cpu":"3","memory":"1Gi"}}},
                 {"name":"b","resources":{"requests":{"cpu":"3","memory":"1Gi"},"limits":{"cpu":"3","memory":"1Gi"}}}]}}""");
        assertThat(decided()).containsExactly("p@n {\"numa\":{\"0\":{\"cpu\":\"3\"},\"1\":{\"cpu\":\"3\"}}}");
    }

    @Test
    void nodesWhereFewerMemoriesDoAreBetter() {
        machine("a", "best-effort", "0-1,4-5");
        machine("b", "best-effort", "0-3");
        pod("p", "4", policy("best-effort"));
        assertThat(decided()).containsExactly("p@b {\"numa\":{\"0\":{\"cpu\":\"4\"}}}");
    }
}
