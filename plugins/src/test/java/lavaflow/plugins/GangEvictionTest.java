package lavaflow.plugins;

import java.util.List;

import lavaflow.gang.Decision;
import lavaflow.gang.HyperNodeSpec;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.json;
import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Whole gangs take the place of others. */
class GangEvictionTest {
    private static final String HIGH = "{\"spec\":{\"priorityClassName\":\"high\"}}";
    private static final String KEPT = "{\"metadata\":{\"annotations\":{\"volcano.sh/preemptable\":\"false\"}}}";

    private final TestingGangs gangs = new TestingGangs();

    private TestingGangs configured(String action, String arguments) {
        return gangs.configured("""
                actions: "enqueue, allocate, backfill, %1$s"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                  - name: conformance
                - plugins:
                  - name: predicates
                  - name: proportion
                  - name: nodeorder
                  - name: network-topology-aware
                configurations:
                - name: %1$s
                  arguments: {%2$s}
                """.formatted(action, arguments));
    }

    @BeforeEach
    void priorities() {
        gangs.core.onPriority("high", 100, false);
        configured("gangpreempt", "");
    }

    private List<String> evicted() {
        return gangs.decide().stream()
                .filter(Decision.Evict.class::isInstance)
                .map(each -> ((Decision.Evict) each).member().spec().pod().name())
                .sorted()
                .toList();
    }

    @Test
    void whatOthersCanDoWithoutGoesFirst() {
        gangs.node("n1", 4).node("n2", 4).runs("a", 2, 4, "n1").runs("b", 4, 4, "n2");
        gangs.gang("high", 2, HIGH);

        assertThat(evicted()).containsExactly("a-0", "a-1");
        assertThat(evicted()).as("they are going already").isEmpty();
    }

    @Test
    void whereThatIsNotEnoughAGangGoesWhole() {
        gangs.node("n1", 4).runs("a", 4, 4, "n1");
        gangs.gang("high", 2, HIGH);

        assertThat(evicted()).containsExactly("a-0", "a-1", "a-2", "a-3");
    }

    @Test
    void aGangThatGoesLeavesNobodyBehind() {
        gangs.node("n1", 2).node("n2", 4).group("a", 4);
        for (int i = 0; i < 6; i++) {
            gangs.pod("a-" + i, "a", TestingGangs.running(i < 2 ? "n1" : "n2"));
        }
        gangs.group("high", 1, HIGH).pod("high-0", "high", TestingGangs.asking("{\"cpu\":\"4\"}"));

        assertThat(evicted())
                .as("also those it could do without, and whose room nobody needs")
                .containsExactly("a-0", "a-1", "a-2", "a-3", "a-4", "a-5");
    }

    @Test
    void aGangThatOnlyLosesWhatItCanDoWithoutGoesOn() {
        gangs.node("n1", 2).node("n2", 4).group("a", 4);
        for (int i = 0; i < 6; i++) {
            gangs.pod("a-" + i, "a", TestingGangs.running(i < 2 ? "n1" : "n2"));
        }
        gangs.gang("high", 1, HIGH);

        assertThat(evicted()).containsExactly("a-0");
    }

    @Test
    void asFewGoAsSufficeHoweverManyAreTried() {
        // The room of several is no room for a pod that needs it on one node: only the last two have that.
        for (int i = 0; i < 9; i++) {
            gangs.node("n" + i, 1).runs("a" + i, 0, 1, "n" + i);
        }
        gangs.node("x", 2).runs("b", 0, 2, "x");
        gangs.group("high", 1, HIGH).pod("high-0", "high", TestingGangs.asking("{\"cpu\":\"2\"}"));

        assertThat(evicted()).containsExactly("b-0", "b-1");
    }

    @Test
    void noGangGoesWholeWhereThoseBesideItSuffice() {
        // The first that come to mind are of a gang that would go whole, but a free node helps as well.
        gangs.node("n1", 4).runs("a", 4, 4, "n1");
        gangs.node("n2", 4).runs("b", 0, 3, "n2");
        gangs.gang("high", 3, HIGH);

        assertThat(evicted()).containsExactly("b-0", "b-1");
    }

    /** Its minimum was raised, or one of its pods is gone for good. */
    @Test
    void aGangBelowItsMinimumIsNotMadeSmallerStill() {
        gangs.node("n1", 4).runs("a", 5, 4, "n1").gang("high", 1, HIGH);

        assertThat(evicted()).containsExactly("a-0", "a-1", "a-2", "a-3");
    }

    @Test
    void aGangBelowItsMinimumWithAPodThatMayNotStaysAsItIs() {
        gangs.node("n1", 4).group("a", 5);
        gangs.pod("a-0", "a", TestingGangs.running("n1"), KEPT);
        for (int i = 1; i < 4; i++) {
            gangs.pod("a-" + i, "a", TestingGangs.running("n1"));
        }
        gangs.gang("high", 1, HIGH);

        assertThat(evicted()).isEmpty();
    }

    @Test
    void noGangIsBrokenWhereThatIsTurnedOff() {
        configured("gangpreempt", "allowWholeBundle: false");
        gangs.node("n1", 4).runs("a", 4, 4, "n1").gang("high", 2, HIGH);

        assertThat(evicted()).isEmpty();
    }

    @Test
    void nobodyGoesWhoseRoomIsNotNeeded() {
        gangs.node("n1", 1).node("n2", 1).node("n3", 3);
        gangs.runs("a", 0, 1, "n1").runs("b", 0, 1, "n2").runs("c", 3, 3, "n3");
        String large = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"3\"}}}]}}";
        gangs.group("high", 1, HIGH).pod("high-0", "high", large);

        assertThat(evicted()).as("neither a nor b makes room for it").containsExactly("c-0", "c-1", "c-2");
    }

    /** One pod it could do without is where nobody needs room; without the others it is of no use there. */
    @Test
    void nobodyIsLeftBehindByAGangThatGoes() {
        gangs.node("n1", 2).node("n2", 1).group("a", 2);
        gangs.pod("a-0", "a", TestingGangs.running("n2"));
        gangs.pod("a-1", "a", TestingGangs.running("n1")).pod("a-2", "a", TestingGangs.running("n1"));
        String large = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]}}";
        gangs.group("high", 1, HIGH).pod("high-0", "high", large);

        assertThat(evicted()).containsExactly("a-0", "a-1", "a-2");
    }

    @Test
    void nobodyGoesForAGangThatWouldNotBeWhole() {
        gangs.node("n1", 4).runs("a", 2, 4, "n1").gang("high", 5, HIGH);

        assertThat(evicted()).isEmpty();
    }

    @Test
    void whoIsAsImportantOrSaysNoStays() {
        gangs.node("n1", 4)
                .runs("a", 0, 2, "n1", HIGH)
                .runs("b", 0, 2, "n1", "{\"metadata\":{\"annotations\":{\"volcano.sh/preemptable\":\"false\"}}}");
        gangs.gang("high", 1, HIGH);

        assertThat(evicted()).isEmpty();
    }

    @Test
    void aGangWithAPodThatMayNotStaysWhole() {
        gangs.node("n1", 4).group("a", 4);
        for (int i = 0; i < 4; i++) {
            gangs.pod("a-" + i, "a", TestingGangs.running("n1"), i > 0 ? "{}" : KEPT);
        }
        gangs.gang("high", 1, HIGH);

        assertThat(evicted()).isEmpty();
    }

    @Test
    void roomIsMadeWhereTheGangMayBeInTheNetwork() {
        for (int rack = 0; rack < 2; rack++) {
            gangs.node("r" + rack + "a", 2).node("r" + rack + "b", 2);
            gangs.core.onHyperNode(HyperNodeSpec.of(json("""
                    {"metadata":{"name":"r%1$d"},"spec":{"tier":1,"members":[
                     {"type":"Node","selector":{"regexMatch":{"pattern":"^r%1$d"}}}]}}""".formatted(rack))));
        }
        // Four could go in each rack, but only in the second one without a gang being broken.
        gangs.runs("a", 2, 2, "r0a")
                .runs("b", 2, 2, "r0b")
                .runs("c", 0, 2, "r1a")
                .runs("d", 0, 2, "r1b");
        gangs.gang("high", 3, HIGH, "{\"spec\":{\"networkTopology\":{\"mode\":\"hard\",\"highestTierAllowed\":1}}}");

        assertThat(evicted())
                .hasSizeBetween(3, 4)
                .allSatisfy(name -> assertThat(name).matches("[abcd]-.*"))
                .satisfiesAnyOf(
                        all -> assertThat(all).allMatch(name -> name.matches("[ab]-.")),
                        all -> assertThat(all).allMatch(name -> name.matches("[cd]-.")));
    }

    @Test
    void aQueueTakesBackItsShareForAWholeGang() {
        configured("gangreclaim", "");
        gangs.queue("a").queue("b").node("n1", 4);
        gangs.runs("greedy", 1, 4, "n1", queued("a")).gang("poor", 2, queued("b"));

        assertThat(evicted()).containsExactly("greedy-0", "greedy-1");
    }

    @Test
    void aQueueKeepsItsShareAndWhatItMustNotGive() {
        configured("gangreclaim", "");
        gangs.queue("a")
                .queue("b")
                .queue("c", "{\"spec\":{\"reclaimable\":false}}")
                .node("n1", 4);
        gangs.runs("even", 0, 1, "n1", queued("a")).runs("own", 0, 3, "n1", queued("c"));
        gangs.gang("poor", 2, queued("b"));

        assertThat(evicted()).isEmpty();
    }
}
