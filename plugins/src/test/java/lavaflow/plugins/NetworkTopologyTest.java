package lavaflow.plugins;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.gang.HyperNodeSpec;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.plugins.TestingGangs.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Where in the network gangs are placed. */
class NetworkTopologyTest {
    private final TestingGangs gangs = new TestingGangs().configured("""
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins:
              - name: gang
              - name: predicates
              - name: nodeorder
              - name: network-topology-aware
            """);

    private static String exactly(String type, String name) {
        return "{\"type\":\"" + type + "\",\"selector\":{\"exactMatch\":{\"name\":\"" + name + "\"}}}";
    }

    private void part(String name, int tier, String... members) {
        gangs.core.onHyperNode(HyperNodeSpec.of(json("""
                {"metadata":{"name":"%s"},"spec":{"tier":%d,"tierName":"tier%d","members":[%s]}}""".formatted(name, tier, tier, String.join(",", members)))));
    }

    /** Two blocks of two racks of two nodes with four processors each, and a node beside them. */
    @BeforeEach
    void network() {
        for (int block = 0; block < 2; block++) {
            for (int rack = 0; rack < 2; rack++) {
                String name = "r" + block + rack;
                gangs.node(name + "a", 4).node(name + "b", 4);
                part(name, 1, exactly("Node", name + "a"), exactly("Node", name + "b"));
            }
            part("b" + block, 2, exactly("HyperNode", "r" + block + "0"), exactly("HyperNode", "r" + block + "1"));
        }
        gangs.node("alone", 4);
    }

    private static String topology(String mode, int tier) {
        return "{\"spec\":{\"networkTopology\":{\"mode\":\"" + mode + "\",\"highestTierAllowed\":" + tier + "}}}";
    }

    /** How many pods are where, by the beginning of the names of nodes. */
    private Map<String, Integer> placed(int letters) {
        Map<String, Integer> placed = new TreeMap<>();
        for (String binding : gangs.bindings()) {
            String node = binding.substring(binding.indexOf('@') + 1);
            placed.merge(node.substring(0, Math.min(letters, node.length())), 1, Integer::sum);
        }
        return placed;
    }

    private void fill(String node, int pods) {
        gangs.runs("on-" + node, pods, pods, node);
    }

    @Test
    void aGangThatMustBeInOneRackIs() {
        gangs.gang("g", 8, topology("hard", 1));

        assertThat(placed(3)).hasSize(1).containsValue(8);
    }

    @Test
    void aGangTooLargeForARackWaitsUnlessABlockWillDo() {
        gangs.gang("g", 9, topology("hard", 1));
        assertThat(gangs.bindings()).isEmpty();
        assertThat(gangs.core.findGang("ns/g")).isNotNull();

        gangs.gang("h", 9, topology("hard", 2));
        assertThat(placed(2)).hasSize(1).containsValue(9);
    }

    @Test
    void theSmallestPartThatHasRoomIsTaken() {
        fill("r00a", 3);
        gangs.gang("g", 6, topology("hard", 2));

        assertThat(placed(3)).hasSize(1).containsValue(6);
    }

    @Test
    void ofEquallyClosePartsTheFullestIsTaken() {
        fill("r10a", 3);
        gangs.gang("g", 5, topology("hard", 1));

        assertThat(placed(3)).containsExactly(Map.entry("r10", 5));
    }

    @Test
    void aGangThatWouldLikeToBeCloseIsPlacedWideRatherThanNotAtAll() {
        gangs.gang("g", 30, topology("soft", 1));

        assertThat(gangs.bindings()).hasSize(30);
    }

    @Test
    void aGangThatWouldLikeToBeCloseIsWhereItCanBe() {
        gangs.gang("g", 8, topology("soft", 1));

        assertThat(placed(3)).hasSize(1).containsValue(8);
    }

    @Test
    void tiersHaveNames() {
        String named = "{\"spec\":{\"networkTopology\":{\"mode\":\"hard\",\"highestTierName\":\"tier1\"}}}";
        gangs.gang("g", 9, named).gang("h", 8, named);

        assertThat(gangs.placed()).containsOnlyKeys("h");
    }

    @Test
    void whoeverComesLaterJoinsTheOthers() {
        gangs.group("g", 2, topology("hard", 1));
        gangs.pod("g-0", "g", TestingGangs.running("r11a")).pod("g-1", "g", TestingGangs.running("r11b"));
        gangs.pod("g-2", "g").pod("g-3", "g");

        assertThat(placed(3)).containsExactly(Map.entry("r11", 2));
    }

    @Test
    void whoeverComesLaterWaitsWhereTheOthersHaveNoRoomLeft() {
        gangs.group("g", 1, topology("hard", 1)).pod("g-0", "g", TestingGangs.running("r11a"));
        fill("r11a", 3);
        fill("r11b", 4);
        gangs.pod("g-1", "g");

        assertThat(gangs.bindings()).isEmpty();
    }

    @Test
    void podsOfOtherGangsGoWhereLessIsLeft() {
        fill("r01b", 2);
        gangs.configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: network-topology-aware
                """);
        gangs.node("alone", 0).gang("g", 1);

        assertThat(placed(3)).containsExactly(Map.entry("r01", 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"Node\",\"selector\":{\"regexMatch\":{\"pattern\":\"^r1.a$\"}}}",
                "{\"type\":\"Node\",\"selector\":{\"labelMatch\":{\"matchLabels\":{\"side\":\"right\"}}}}"
            })
    void nodesAreNamedByPatternsAndLabelsToo(String members) {
        for (String name : List.of("r0", "r1", "b0", "b1")) {
            gangs.core.onHyperNodeGone(name + "0");
            gangs.core.onHyperNodeGone(name + "1");
            gangs.core.onHyperNodeGone(name);
        }
        for (String rack : List.of("r10a", "r11a")) {
            gangs.node(rack, 4, "{\"metadata\":{\"labels\":{\"side\":\"right\"}}}");
        }
        part("right", 1, members);
        gangs.gang("g", 8, topology("hard", 1));

        assertThat(placed(4)).containsExactly(Map.entry("r10a", 4), Map.entry("r11a", 4));
    }

    @Test
    void gangsThatCareWaitWhileTheNetworkIsUnclear() {
        part("b2", 2, exactly("HyperNode", "r00"));
        gangs.gang("g", 1, topology("hard", 1)).gang("h", 1);
        assertThat(gangs.placed()).as("r00 is part of two").containsOnlyKeys("h");

        gangs.core.onHyperNodeGone("b2");
        assertThat(gangs.placed()).containsOnlyKeys("g");
    }

    @Test
    void partsOfAGangAreEachCloseTogether() {
        gangs.group("g", 16, topology("hard", 2), """
                {"spec":{"subGroupPolicy":[{"name":"rack","subGroupSize":8,"minSubGroups":2,"matchLabelKeys":["part"],
                 "networkTopology":{"mode":"hard","highestTierAllowed":1}}]}}""");
        for (int i = 0; i < 16; i++) {
            gangs.pod("g-" + i, "g", "{\"metadata\":{\"labels\":{\"part\":\"" + i % 2 + "\"}}}");
        }
        Map<String, Set<Integer>> byRack = new TreeMap<>();
        for (String binding : gangs.bindings()) {
            int number = Integer.parseInt(binding.substring(2, binding.indexOf('@')));
            String rack = binding.substring(binding.indexOf('@') + 1).substring(0, 3);
            byRack.computeIfAbsent(rack, _ -> new TreeSet<>()).add(number % 2);
        }

        assertThat(byRack).hasSize(2).allSatisfy((_, parts) -> assertThat(parts).hasSize(1));
        assertThat(byRack.keySet())
                .extracting(name -> name.substring(0, 2))
                .as("one block")
                .containsOnly("r0");
    }

    @Test
    void podsOfNoPartAreAllPlacedWhereTheGangNeedsThem() {
        gangs.group("g", 5, """
                {"spec":{"subGroupPolicy":[{"name":"p","subGroupSize":1,"minSubGroups":2,"matchLabelKeys":["part"]}]}}""");
        for (int i = 0; i < 2; i++) {
            gangs.pod("g-" + i, "g", "{\"metadata\":{\"labels\":{\"part\":\"" + i + "\"}}}");
        }
        gangs.pod("h-0", "g", "{}");
        gangs.pod("h-1", "g", "{}");
        assertThat(gangs.bindings()).isEmpty();

        gangs.pod("h-2", "g", "{}");
        assertThat(gangs.bindings()).hasSize(5);
    }

    @Test
    void aGangWithTooFewPartsIsInvalid() {
        gangs.group("g", 2, """
                {"spec":{"subGroupPolicy":[{"name":"rack","subGroupSize":1,"minSubGroups":3,"matchLabelKeys":["part"]}]}}""");
        for (int i = 0; i < 2; i++) {
            gangs.pod("g-" + i, "g", "{\"metadata\":{\"labels\":{\"part\":\"" + i + "\"}}}");
        }
        assertThat(gangs.bindings()).isEmpty();

        gangs.pod("g-2", "g", "{\"metadata\":{\"labels\":{\"part\":\"2\"}}}");
        assertThat(gangs.bindings()).hasSize(3);
    }
}
