package lavaflow.scheduler;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.placement.DefaultSpread;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static lavaflow.scheduler.TestingCluster.json;
import static lavaflow.scheduler.TestingCluster.labels;
import static lavaflow.scheduler.TestingCluster.requests;
import static org.assertj.core.api.Assertions.assertThat;

/** Pods that belong together go apart although they do not say so. */
class DefaultSpreadTest {
    private final TestingCluster cluster = new TestingCluster();

    private static String ownedBy(String kind) {
        return "{\"metadata\":{\"ownerReferences\":[{\"kind\":\"" + kind + "\",\"uid\":\"u\",\"controller\":true}]}}";
    }

    private static String zone(String name) {
        return "{\"metadata\":{\"labels\":{\"topology.kubernetes.io/zone\":\"" + name + "\"}}}";
    }

    @ParameterizedTest
    @CsvSource({"ReplicaSet, m", "StatefulSet, m", "ReplicationController, m", "Job, n"})
    void podsOfOneOwnerGoToNodesWithFewOfThem(String kind, String chosen) {
        // n has more room, but also others of the owner.
        cluster.node("n")
                .node("m")
                .running("a", "n", ownedBy(kind))
                .running("b", "m", requests("{\"cpu\":\"1\"}"))
                .pod("p", ownedBy(kind));
        assertThat(cluster.outcome()).isEqualTo(chosen);
    }

    @Test
    void podsOfOneOwnerGoToZonesWithFewOfThem() {
        cluster.node("a1", zone("a"))
                .node("a2", zone("a"))
                .node("b1", zone("b"))
                .running("r", "a1", ownedBy("ReplicaSet"))
                .running("s", "b1", requests("{\"cpu\":\"1\"}"))
                .pod("p", ownedBy("ReplicaSet"));
        assertThat(cluster.outcome()).isEqualTo("b1");
    }

    @Test
    void aZoneThatANodeMovesToHasItsPods() {
        cluster.node("a1", zone("a"))
                .node("b1", zone("b"))
                .node("b2", zone("b"))
                .running("r", "a1", ownedBy("ReplicaSet"))
                .pod("p", ownedBy("ReplicaSet"));
        assertThat(cluster.outcome()).isEqualTo("b1");
        cluster.node("b1", zone("a")).pod("q", ownedBy("ReplicaSet"));
        assertThat(cluster.outcome()).isEqualTo("b2");
    }

    @Test
    void podsOnTheirWayOutDoNotCount() {
        cluster.node("n")
                .node("m")
                .running(
                        "a",
                        "n",
                        ownedBy("ReplicaSet"),
                        "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T12:00:00Z\"}}")
                .running("b", "m", requests("{\"cpu\":\"1\"}"))
                .pod("p", ownedBy("ReplicaSet"));
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void podsBehindOneServiceGoApart() {
        cluster.node("n")
                .node("m")
                .with(state -> state.crowds().putService("default/web", json("{\"app\":\"web\"}")))
                .running("a", "n", labels("web"))
                .running("b", "m", requests("{\"cpu\":\"1\"}"))
                .pod("p", labels("web"));
        assertThat(cluster.outcome()).isEqualTo("m");
        cluster.with(state -> state.crowds().putService("default/web", null)).pod("q", labels("web"));
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void whoSaysHowToBeSpreadIsNotSpreadOtherwise() {
        String own = """
                {"spec":{"topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"rack","whenUnsatisfiable":"ScheduleAnyway",
                "labelSelector":{"matchLabels":{"app":"web"}}}]}}""";
        cluster.node("n")
                .node("m")
                .running("a", "n", ownedBy("ReplicaSet"))
                .running("b", "m", requests("{\"cpu\":\"1\"}"))
                .pod("p", ownedBy("ReplicaSet"), own);
        assertThat(cluster.outcome()).isEqualTo("n");
    }

    @Test
    void likedLabelsCountBesides() {
        String likes = """
                {"spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":10,
                "preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}}]}}}}""";
        cluster.node("n", "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}")
                .node("m", "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}")
                .node("o")
                .running("a", "n", ownedBy("ReplicaSet"))
                .running("b", "m", requests("{\"cpu\":\"1\"}"))
                .pod("p", ownedBy("ReplicaSet"), likes);
        assertThat(cluster.outcome()).isEqualTo("m");
    }

    /** Upstream's adaptive share of nodes. */
    @ParameterizedTest
    @CsvSource({"5, 5", "99, 99", "100, 100", "250, 120", "1000, 420", "5000, 500", "20000, 1000"})
    void ofManyNodesOnlySomeAreCompared(int nodes, int enough) {
        assertThat(DefaultSpread.enough(nodes)).isEqualTo(enough);
    }

    @Test
    void allNodesHaveTheirTurn() {
        for (int i = 0; i < 300; i++) {
            cluster.node("n" + i, zone("z" + i % 3));
        }
        for (int i = 0; i < 300; i++) {
            cluster.pod("p" + i, ownedBy("ReplicaSet"));
        }
        List<String> placements = cluster.placements();
        Map<String, Integer> byNode = new TreeMap<>();
        placements.forEach(each -> byNode.merge(each.substring(each.indexOf(" on ")), 1, Integer::sum));
        assertThat(placements).hasSize(300);
        assertThat(byNode).hasSize(300);
    }
}
