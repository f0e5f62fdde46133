package lavaflow.plugins;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Roles of a gang on the same node, or on different ones. */
class TaskTopologyTest {
    private static TestingGangs gangs() {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: nodeorder
                  - name: task-topology
                    arguments: {task-topology.weight: 10}
                """);
    }

    private static String says(String together, String apart) {
        return """
                {"metadata":{"annotations":{"volcano.sh/task-topology-affinity":"%s",
                 "volcano.sh/task-topology-anti-affinity":"%s"}}}""".formatted(together, apart);
    }

    private static String role(String role) {
        return "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"" + role + "\"}}}";
    }

    /** Two parameter servers and four workers, on two nodes of four processors. */
    private static Map<String, Set<String>> placed(String annotations) {
        TestingGangs gangs = gangs().node("n1", 4).node("n2", 4).group("g", 6, annotations);
        for (int i = 0; i < 2; i++) {
            gangs.pod("ps-" + i, "g", role("ps"));
        }
        for (int i = 0; i < 4; i++) {
            gangs.pod("worker-" + i, "g", role("worker"));
        }
        Map<String, Set<String>> byNode = new TreeMap<>();
        for (String binding : gangs.bindings()) {
            String[] parts = binding.split("@", -1);
            byNode.computeIfAbsent(parts[1], _ -> new TreeSet<>()).add(parts[0]);
        }
        return byNode;
    }

    @Test
    void rolesThatAreToBeApartAndOthersWithThem() {
        Map<String, Set<String>> byNode = placed(says("ps,worker", "ps"));

        assertThat(byNode).hasSize(2);
        byNode.values().forEach(pods -> {
            assertThat(pods).filteredOn(name -> name.startsWith("ps")).hasSize(1);
            assertThat(pods).filteredOn(name -> name.startsWith("worker")).hasSize(2);
        });
    }

    @Test
    void oneRoleTogether() {
        Map<String, Set<String>> byNode = placed(says("worker", "ps,worker"));

        assertThat(byNode.values())
                .containsExactlyInAnyOrder(
                        Set.of("ps-0", "ps-1"), Set.of("worker-0", "worker-1", "worker-2", "worker-3"));
    }

    @Test
    void aGangThatSaysNothingIsSpread() {
        assertThat(placed("{}").values()).allSatisfy(pods -> assertThat(pods).hasSize(3));
    }

    @Test
    void whoIsLeftGoesWhereTheOthersAre() {
        TestingGangs gangs = gangs().node("n1", 8).node("n2", 8).group("g", 1, says("worker", ""));
        gangs.pod(
                        "worker-0",
                        "g",
                        role("worker"),
                        "{\"spec\":{\"nodeName\":\"n2\"},\"status\":{\"phase\":\"Running\"}}")
                .pod("worker-1", "g", role("worker"));

        assertThat(gangs.bindings()).containsExactly("worker-1@n2");
    }
}
