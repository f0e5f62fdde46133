package lavaflow.plugins;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GroupPhase;
import lavaflow.gang.GroupStatus;
import lavaflow.gang.Waiting;

import org.junit.jupiter.api.Test;

import static java.util.Objects.requireNonNull;
import static lavaflow.plugins.TestingGangs.queued;
import static org.assertj.core.api.Assertions.assertThat;

/** What is told of gangs: how far they are, and why they wait. */
class StatusTest {
    private static final GroupStatus.Condition SCHEDULED =
            new GroupStatus.Condition("Scheduled", "tasks in gang are ready to be scheduled", "");

    /** Of no use, but it counts for what queues deserve. */
    private static final String CORDONED = "{\"spec\":{\"unschedulable\":true}}";

    private final TestingGangs gangs = new TestingGangs();

    private static String phase(String phase, String node) {
        return "{\"spec\":{\"nodeName\":\"" + node + "\"},\"status\":{\"phase\":\"" + phase + "\"}}";
    }

    private static String role(String role) {
        return "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"" + role + "\"}}}";
    }

    private List<GroupStatus> told() {
        List<GroupStatus> told = new ArrayList<>();
        gangs.decide().forEach(each -> {
            if (each instanceof Decision.Status(Gang _, GroupStatus status)) {
                told.add(status);
            }
        });
        return told;
    }

    private static String message(GroupStatus status) {
        return requireNonNull(status.condition()).message();
    }

    private List<Decision.Wait> waits() {
        return gangs.decide().stream()
                .filter(Decision.Wait.class::isInstance)
                .map(Decision.Wait.class::cast)
                .toList();
    }

    private List<Waiting> waiting(String name) {
        return requireNonNull(gangs.core.findGang("ns/" + name)).waiting();
    }

    // ---- phases ----

    @Test
    void aGangRunsOnceTheApiTellsThatItsPodsAreBound() {
        gangs.node("n1", 4).gang("g", 2);
        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.INQUEUE, 0, 0, 0, SCHEDULED));

        gangs.pod("g-0", "g", phase("Pending", "n1"));
        assertThat(told()).as("one is bound").isEmpty();

        gangs.pod("g-1", "g", phase("Pending", "n1"));
        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.RUNNING, 0, 0, 0, SCHEDULED));
    }

    @Test
    void podsAreCountedByHowFarTheyAre() {
        gangs.node("n1", 4).group("g", 2);
        gangs.pod("g-0", "g", phase("Running", "n1")).pod("g-1", "g", phase("Succeeded", "n1"));
        gangs.pod("g-2", "g", phase("Failed", "n1"));

        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.RUNNING, 1, 1, 1, SCHEDULED));
    }

    @Test
    void aGangIsCompletedWhenAllThatWerePlacedHaveEnded() {
        gangs.node("n1", 4).group("g", 2);
        gangs.pod("g-0", "g", phase("Succeeded", "n1")).pod("g-1", "g", phase("Succeeded", "n1"));

        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.COMPLETED, 0, 2, 0, SCHEDULED));
    }

    @Test
    void aGangOfWhichSomeRunAndTheOthersFindNoPlaceIsUnknown() {
        gangs.node("n1", 1).node("n2", 9, CORDONED).group("g", 2, "{\"status\":{\"phase\":\"Running\"}}");
        gangs.pod("g-0", "g", phase("Running", "n1")).pod("g-1", "g");

        assertThat(told()).singleElement().satisfies(status -> {
            assertThat(status.phase()).isEqualTo(GroupPhase.UNKNOWN);
            assertThat(message(status))
                    .isEqualTo("1/2 tasks in gang unschedulable: pod group is not ready, 1 Pending, 1 Running, "
                            + "2 minAvailable; Pending: 1 Unschedulable. Origin reason is g-1: 0/2 nodes are unavailable: "
                            + "1 Insufficient cpu, 1 node(s) were unschedulable.");
        });
    }

    @Test
    void aGangThatLostItsPodsHasToBeLetInAgain() {
        gangs.node("n1", 4).group("g", 2, "{\"status\":{\"phase\":\"Running\"}}");

        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.PENDING, 0, 0, 0, null));
        assertThat(told()).containsExactly(new GroupStatus(GroupPhase.INQUEUE, 0, 0, 0, null));
    }

    @Test
    void whatWasDecidedHoldsUntilTheApiTellsOtherwise() {
        gangs.node("n1", 4).group("g", 2, "{\"status\":{\"phase\":\"Pending\"}}");
        assertThat(gangs.phases()).containsExactly("g Inqueue");

        gangs.group("g", 2, "{\"status\":{\"phase\":\"Pending\"},\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        assertThat(gangs.phases()).isEmpty();

        gangs.core.onStatusFailed("ns/g");
        assertThat(gangs.phases()).containsExactly("g Inqueue");

        gangs.group("g", 2);
        assertThat(gangs.phases()).isEmpty();

        gangs.group("g", 2, "{\"status\":{\"phase\":\"Pending\"}}");
        assertThat(gangs.phases()).as("somebody wrote an old status").containsExactly("g Inqueue");
    }

    // ---- why gangs wait ----

    @Test
    void aGangThatIsNotLetInTellsWhich() {
        gangs.node("n1", 2).group("g", 6, "{\"spec\":{\"minResources\":{\"cpu\":\"6\"}},\"status\":{\"phase\":\"\"}}");
        List<Decision> decisions = gangs.decide();

        assertThat(waiting("g"))
                .containsExactly(new Waiting.NotLetIn("overcommit", "resource in cluster is overused: overused cpu"));
        assertThat(decisions)
                .filteredOn(Decision.Refuse.class::isInstance)
                .containsExactly(new Decision.Refuse(
                        requireNonNull(gangs.core.findGang("ns/g")), "resource in cluster is overused: overused cpu"));
        assertThat(decisions)
                .filteredOn(Decision.Status.class::isInstance)
                .map(each -> message(((Decision.Status) each).status()))
                .containsExactly("6/0 tasks in gang unschedulable: pod group is not ready, 6 minAvailable. "
                        + "Origin reason is resource in cluster is overused: overused cpu");
        assertThat(gangs.decide()).isEmpty();
    }

    @Test
    void aGangOfAQueueThatIsNotThereOrNotOpenTellsSo() {
        gangs.node("n1", 2).queue("shut", "{\"status\":{\"state\":\"Closed\"}}");
        gangs.gang("g", 1, queued("nowhere"));
        String unseen = "{\"spec\":{\"minResources\":{\"cpu\":\"1\"}},\"status\":{\"phase\":\"\"}}";
        gangs.group("h", 1, queued("shut"), unseen);

        assertThat(gangs.placed()).isEmpty();
        assertThat(waiting("g")).containsExactly(new Waiting.NoQueue("nowhere"));
        assertThat(waiting("h")).containsExactly(new Waiting.QueueNotOpen("shut", "Closed"));
    }

    @Test
    void aGangWithoutItsPodsIsInvalid() {
        gangs.node("n1", 4).group("g", 3).pod("g-0", "g");

        assertThat(told())
                .containsExactly(new GroupStatus(
                        GroupPhase.INQUEUE,
                        0,
                        0,
                        0,
                        new GroupStatus.Condition(
                                "Unschedulable",
                                "NotEnoughTasks",
                                "Not enough valid tasks for gang-scheduling, valid: 1, min: 3")));
    }

    @Test
    void nodesAreCountedByWhyTheyRefuse() {
        gangs.node("n1", 1).node("n2", 1, CORDONED).gang("g", 2);
        gangs.decide();

        assertThat(waiting("g"))
                .containsExactly(new Waiting.NoNode(
                        "", "g-1", 2, Map.of("Insufficient cpu", 1, "node(s) were unschedulable", 1)));
    }

    @Test
    void aQueueThatMayNotHaveMoreIsNamedWithWhatItLacks() {
        gangs.queue("a", "{\"spec\":{\"capability\":{\"cpu\":\"2\"}}}").node("n1", 8);
        gangs.gang("g", 3, queued("a"));
        gangs.decide();

        assertThat(waiting("g")).containsExactly(new Waiting.BeyondAllowance("a", "cpu", "", "g-2"));
    }

    @Test
    void rolesThatFitNowhereAreTold() {
        gangs.node("n1", 2)
                .node("n2", 32, CORDONED)
                .group("g", 3, "{\"spec\":{\"minTaskMember\":{\"ps\":1,\"worker\":2}}}");
        String large = "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"9\"}}}]}}";
        gangs.pod("g-ps-0", "g", role("ps"));
        gangs.pod("g-worker-0", "g", role("worker"), large).pod("g-worker-1", "g", role("worker"), large);
        List<Decision.Wait> waits = waits();

        assertThat(waiting("g"))
                .containsExactly(new Waiting.NoNode(
                        "worker", "g-worker-0", 2, Map.of("Insufficient cpu", 1, "node(s) were unschedulable", 1)));
        assertThat(waits)
                .map(each -> each.member().spec().pod().name() + " " + each.reason() + ": " + each.message())
                .containsExactly(
                        "g-ps-0 Schedulable: Pod ns/g-ps-0 can possibly be assigned to n1, once minAvailable is satisfied",
                        "g-worker-0 Unschedulable: 0/2 nodes are unavailable: 1 Insufficient cpu, 1 node(s) were unschedulable.",
                        "g-worker-1 Unschedulable: 0/2 nodes are unavailable: 1 Insufficient cpu, 1 node(s) were unschedulable.");
    }

    // ---- pods ----

    @Test
    void ofPodsThatWaitOnlyTheFirstIsToldAnewWhenWordsChange() {
        gangs.node("n1", 1).node("n9", 9, CORDONED).gang("g", 3);
        assertThat(waits()).hasSize(3);
        assertThat(waits()).isEmpty();

        gangs.node("n2", 1);
        assertThat(waits())
                .map(each -> each.member().spec().pod().name() + " " + each.reason())
                .containsExactly("g-1 Schedulable", "g-2 Unschedulable");
    }

    @Test
    void podsThatWaitForOthersToGoGetTheirNodeOnceTheyAreGone() {
        gangs.node("n1", 2).group("old", 1).pod("old-0", "old", phase("Running", "n1"));
        gangs.pod("old-1", "old", phase("Running", "n1"));
        gangs.decide();
        gangs.pod(
                "old-0",
                "old",
                phase("Running", "n1"),
                "{\"metadata\":{\"deletionTimestamp\":\"2026-11-15T00:00:00Z\"}}");
        gangs.gang("new", 1);

        List<Decision.Wait> waits = waits();
        assertThat(waits).singleElement().satisfies(wait -> {
            assertThat(wait.node()).as("nobody has to go for it").isEmpty();
            assertThat(wait.message())
                    .isEqualTo(
                            "Pod ns/new-0 can possibly be assigned to n1, once resource is released and minAvailable is "
                                    + "satisfied");
        });
        assertThat(waiting("new")).containsExactly(new Waiting.OthersToGo(1));

        gangs.core.onPodGone("pod-old-0");
        assertThat(gangs.bindings()).containsExactly("new-0@n1");
    }

    @Test
    void aGangBehindOthersThatAreAlikeIsToldWhyItWaits() {
        gangs.node("n1", 1).node("n9", 9, CORDONED).gang("g", 3).gang("h", 3);
        gangs.decide();

        assertThat(waiting("h"))
                .containsExactly(new Waiting.NoNode(
                        "", "h-0", 2, Map.of("Insufficient cpu", 1, "node(s) were unschedulable", 1)));
    }

    @Test
    void nothingIsDecidedWhileNothingHappens() {
        gangs.node("n1", 2).gang("g", 1).gang("h", 3);
        while (gangs.core.nextChange() != null) {
            gangs.decide();
        }

        assertThat(gangs.decide()).isEmpty();
        assertThat(gangs.core.nextChange()).isNull();
    }

    @Test
    void aPodThatAsksForNothingIsToldWhyNoNodeTakesIt() {
        gangs.node("n1", 4, CORDONED).group("g", 1).pod("g-0", "g", TestingGangs.asking("{\"cpu\":null}"));
        assertThat(waits())
                .extracting(Decision.Wait::message)
                .containsExactly("0/1 nodes are unavailable: 1 node(s) were unschedulable.");
    }
}
