package lavaflow.plugins;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** Gangs are placed whole, in their turn. */
class GangTest {
    private final TestingGangs gangs = new TestingGangs();

    @Test
    void allOfAGangOrNothing() {
        gangs.node("n1", 4).gang("large", 5).gang("small", 3);

        assertThat(gangs.placed()).isEqualTo(Map.of("small", 3));
        assertThat(gangs.placed()).isEmpty();

        gangs.node("n2", 4);
        assertThat(gangs.placed()).isEqualTo(Map.of("large", 5));
    }

    @Test
    void aGangWaitsForItsPods() {
        gangs.node("n1", 4).group("g", 3).pod("g-0", "g").pod("g-1", "g");
        assertThat(gangs.placed()).isEmpty();

        gangs.pod("g-2", "g");
        assertThat(gangs.placed()).isEqualTo(Map.of("g", 3));
    }

    @Test
    void whatIsBeyondTheMinimumComesWhereThereIsRoom() {
        gangs.node("n1", 4).group("g", 2);
        for (int i = 0; i < 6; i++) {
            gangs.pod("g-" + i, "g");
        }

        assertThat(gangs.bindings()).containsExactly("g-0@n1", "g-1@n1", "g-2@n1", "g-3@n1");
    }

    @Test
    void theMoreImportantGangComesFirst() {
        gangs.core.onPriority("high", 100, false);
        gangs.node("n1", 3).gang("first", 3).gang("second", 3, "{\"spec\":{\"priorityClassName\":\"high\"}}");

        assertThat(gangs.placed()).isEqualTo(Map.of("second", 3));
    }

    @Test
    void queuesShareByTheirWeights() {
        gangs.queue("a", "{\"spec\":{\"weight\":1}}")
                .queue("b", "{\"spec\":{\"weight\":3}}")
                .node("n1", 8);
        for (int i = 0; i < 8; i++) {
            gangs.gang("a" + i, 1, queued("a")).gang("b" + i, 1, queued("b"));
        }
        Map<String, Integer> placed = gangs.placed();

        assertThat(placed.keySet()).filteredOn(name -> name.startsWith("a")).hasSize(2);
        assertThat(placed.keySet()).filteredOn(name -> name.startsWith("b")).hasSize(6);
    }

    @Test
    void aQueueNeverHasMoreThanItsCapability() {
        gangs.queue("a", "{\"spec\":{\"capability\":{\"cpu\":\"2\"}}}").node("n1", 8);
        for (int i = 0; i < 4; i++) {
            gangs.gang("a" + i, 1, queued("a"));
        }

        assertThat(gangs.placed()).hasSize(2);
    }

    @Test
    void aGangOfAQueueThatIsNotThereWaits() {
        gangs.node("n1", 8).gang("g", 1, queued("a"));
        assertThat(gangs.placed()).isEmpty();

        gangs.queue("a");
        assertThat(gangs.placed()).isEqualTo(Map.of("g", 1));
    }

    @Test
    void aGangIsLetInBeforeItIsPlaced() {
        gangs.node("n1", 8)
                .group("fits", 2, "{\"spec\":{\"minResources\":{\"cpu\":\"8\"}},\"status\":{\"phase\":\"Pending\"}}")
                .group(
                        "toolarge",
                        2,
                        "{\"spec\":{\"minResources\":{\"cpu\":\"10\"}},\"status\":{\"phase\":\"Pending\"}}");

        assertThat(gangs.phases()).containsExactly("fits Inqueue", "toolarge Pending");
        assertThat(gangs.decide()).isEmpty();
    }

    @Test
    void theMinimaOfRolesCount() {
        gangs.node("n1", 3).group("g", 3, "{\"spec\":{\"minTaskMember\":{\"ps\":1,\"worker\":2}}}");
        String ps = "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"ps\"}}}";
        String worker = "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"worker\"}}}";
        gangs.pod("g-w-0", "g", worker).pod("g-w-1", "g", worker).pod("g-w-2", "g", worker);
        assertThat(gangs.placed()).isEmpty();

        gangs.pod("g-p-0", "g", ps);
        assertThat(gangs.bindings()).hasSize(3).contains("g-p-0@n1");
    }
}
