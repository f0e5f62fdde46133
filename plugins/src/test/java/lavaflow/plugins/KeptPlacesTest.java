package lavaflow.plugins;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static lavaflow.plugins.TestingGangs.running;
import static org.assertj.core.api.Assertions.assertThat;

/** When a pod of a running gang dies, its room is kept for its replacement for a while. */
class KeptPlacesTest {
    private static final String OWNED =
            "{\"metadata\":{\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"a\",\"uid\":\"job-a\",\"controller\":true}]}}";
    private static final String FAILED = "{\"status\":{\"phase\":\"Failed\"}}";

    private final TestingGangs gangs = new TestingGangs();

    /** A full cluster: a gang that needs all of its four pods, and others that wait. */
    @BeforeEach
    void full() {
        gangs.node("n1", 2).node("n2", 2);
        runs(4);
    }

    private void runs(int least) {
        gangs.group("a", least);
        for (int i = 0; i < 4; i++) {
            gangs.pod("a-" + i, "a", OWNED, running(i < 2 ? "n1" : "n2"));
        }
        gangs.decide();
    }

    private void die(String pod, String node) {
        gangs.pod(pod, "a", OWNED, running(node), FAILED);
    }

    @Test
    void theReplacementGetsItWhoeverElseWaits() {
        gangs.gang("older", 1);
        assertThat(gangs.bindings()).isEmpty();
        die("a-0", "n1");

        assertThat(gangs.bindings()).as("nobody else gets it").isEmpty();
        gangs.pod("a-4", "a");
        assertThat(gangs.bindings()).containsExactly("a-4@n1");
    }

    @Test
    void aPodThatIsDeletedIsReplacedLikewise() {
        gangs.gang("older", 1);
        gangs.pod("a-2", "a", OWNED, running("n2"), "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T11:00:00Z\"}}");
        gangs.decide();
        gangs.core.onPodGone("pod-a-2");

        assertThat(gangs.bindings()).isEmpty();
        gangs.pod("a-4", "a");
        assertThat(gangs.bindings()).containsExactly("a-4@n2");
    }

    @Test
    void allOfAGangThatIsRestartedComeBack() {
        gangs.gang("older", 1);
        for (int i = 0; i < 4; i++) {
            die("a-" + i, i < 2 ? "n1" : "n2");
        }
        assertThat(gangs.bindings()).isEmpty();
        for (int i = 4; i < 8; i++) {
            gangs.pod("a-" + i, "a");
        }
        // It may have to be let into its queue first.
        for (int round = 0; round < 3; round++) {
            gangs.decide();
        }
        assertThat(gangs.gangNamed("a").tally().ready()).isEqualTo(4);
        assertThat(gangs.gangNamed("older").tally().ready()).isZero();
    }

    @Test
    void nobodyWaitsForItForEver() {
        gangs.gang("older", 1);
        die("a-0", "n1");
        assertThat(gangs.bindings()).isEmpty();
        gangs.decide();
        assertThat(gangs.core.nextChange()).as("it is known when to look again").isEqualTo(gangs.now.plusSeconds(30));

        gangs.now = gangs.now.plusSeconds(30);
        assertThat(gangs.bindings()).containsExactly("older-0@n1");
        assertThat(gangs.core.takeFreed())
                .as("plain pods are to hear of it")
                .extracting(each -> each.pod().name())
                .containsExactly("a-0");
        assertThat(gangs.core.takeFreed()).isEmpty();
    }

    @Test
    void plainPodsDoNotGetItEither() {
        die("a-0", "n1");
        gangs.decide();

        var one = gangs.memberNamed("a-1").type();
        assertThat(gangs.cluster.nodes().hasRoom(one, gangs.memberNamed("a-1").slot()))
                .isFalse();
    }

    @Test
    void aGangThatCanDoWithoutItDoesNot() {
        runs(3);
        gangs.gang("older", 1);
        die("a-0", "n1");

        assertThat(gangs.bindings()).containsExactly("older-0@n1");
    }

    @Test
    void aPodThatNobodyReplacesIsNotWaitedFor() {
        gangs.gang("older", 1);
        gangs.pod("a-0", "a", running("n1"));
        gangs.decide();
        gangs.core.onPodGone("pod-a-0");

        assertThat(gangs.bindings()).containsExactly("older-0@n1");
    }

    @Test
    void aGangThatIsGoneNeedsNothing() {
        gangs.gang("older", 1);
        die("a-0", "n1");
        assertThat(gangs.bindings()).isEmpty();
        gangs.core.onGroupGone("ns/a");

        assertThat(gangs.bindings()).containsExactly("older-0@n1");
    }

    @Test
    void whoHadToGoDoesNotComeBackFirst() {
        gangs.core.onPriority("high", 100, false);
        gangs.configured("""
                actions: "allocate, preempt"
                tiers:
                - plugins:
                  - name: priority
                  - name: gang
                    enablePreemptable: false
                  - name: predicates
                  - name: nodeorder
                """);
        gangs.gang("high", 1, "{\"spec\":{\"priorityClassName\":\"high\"}}");
        String gone = gangs.evicted().getFirst();
        String node = gone.compareTo("a-2") < 0 ? "n1" : "n2";
        gangs.pod(gone, "a", OWNED, running(node), "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T11:00:00Z\"}}");
        gangs.decide();
        gangs.core.onPodGone("pod-" + gone);

        assertThat(gangs.bindings()).containsExactly("high-0@" + node);
    }

    @Test
    void itIsNotKeptWhereThatIsTurnedOff() {
        gangs.configured("""
                actions: "allocate"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                configurations:
                - name: allocate
                  arguments: {keepSlotSeconds: 0}
                """);
        gangs.gang("older", 1);
        die("a-0", "n1");

        assertThat(gangs.bindings()).containsExactly("older-0@n1");
    }

    @Test
    void aNodeThatTakesNobodyAnyMoreKeepsNothing() {
        gangs.node("n1", 2, "{\"spec\":{\"unschedulable\":true}}");
        die("a-0", "n1");
        gangs.decide();
        gangs.node("n1", 2).gang("older", 1);

        assertThat(gangs.bindings()).containsExactly("older-0@n1");
    }

    @Test
    void nothingIsLeftOfItOnANodeThatWentAndCameBack() {
        die("a-0", "n1");
        gangs.decide();
        gangs.core.onPodGone("pod-a-1");
        gangs.core.onNodeGone("n1");
        gangs.decide();
        gangs.node("n1", 2).gang("older", 2);

        assertThat(gangs.bindings()).containsExactlyInAnyOrder("older-0@n1", "older-1@n1");
    }
}
