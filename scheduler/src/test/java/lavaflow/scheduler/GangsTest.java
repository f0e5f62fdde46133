package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import lavaflow.gang.Configuration;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Snapshot;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.placement.NodeTable;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is written of decisions about gangs, beside pods that come one by one. */
class GangsTest extends TestingGangCluster {
    @Test
    void whoAsksIsGivenAllThatIsKnownAndSoIsWhoListsIt() {
        node("n", 4);
        group("g", 2);
        member("g-0", "g");
        member("g-1", "g");
        group("h", 3);
        for (int i = 0; i < 3; i++) {
            member("h-" + i, "h");
        }
        plain("p", 1);
        settle();
        CompletableFuture<Snapshot> asked = scheduler.snapshot();
        assertThat(asked).isNotDone();
        settle();
        Snapshot listed = ListedCluster.read(api, GangSettings.USUAL_NAMES, null, now);
        for (Snapshot each : List.of(asked.join(), listed)) {
            assertThat(each.nodes()).extracting(NodeTable.Node::name).containsExactly("n");
            assertThat(each.queues()).extracting(QueueSpec::name).containsExactly("default", "root");
            assertThat(each.groups())
                    .extracting(group -> group.name() + " " + group.phase())
                    .containsExactly("g Running", "h Inqueue");
            assertThat(each.members())
                    .extracting(
                            member -> member.pod().name() + "@" + member.pod().node())
                    .containsExactly("g-0@n", "g-1@n", "h-0@", "h-1@", "h-2@");
            assertThat(each.others()).extracting(ScheduledPod::name).containsExactly("p");
            assertThat(each.configuration().actions())
                    .isEqualTo(Configuration.usual().actions());
        }
    }

    @Test
    void tellsHowMuchThereIsOfEverything() {
        node("n", 4);
        node("broken", 4);
        api.edit(Scheduler.NODES, "", "broken", object -> {
            Json.ensureObject(object, "spec")
                    .putArray("taints")
                    .addObject()
                    .put("key", "node.kubernetes.io/not-ready")
                    .put("effect", "NoSchedule");
            return object;
        });
        group("g", 2);
        member("g-0", "g");
        member("g-1", "g");
        settle();
        group("h", 3);
        for (int i = 0; i < 3; i++) {
            member("h-" + i, "h");
        }
        group("a", 1);
        plain("p", 1);
        plain("q", 9);
        settle();
        CompletableFuture<ClusterTally> asked = scheduler.tally();
        settle();
        // All are of the same second.
        ClusterTally.Waiting first = new ClusterTally.Waiting("default/a", Instant.parse("2030-01-02T03:04:05Z"));
        assertThat(asked.join()).isEqualTo(new ClusterTally(2, 1, 3, 4, 1, 2, first, 1));
        assertThat(first).isGreaterThan(new ClusterTally.Waiting("default/z", now));
    }

    @Test
    void whoSchedulesNoGangsHasNothingToTell() {
        scheduler = new Scheduler(api, followers, () -> now, Writer.Threads.callers(), null);
        CompletableFuture<Snapshot> asked = scheduler.snapshot();
        settle();
        assertThat(asked.join()).isNull();
    }

    @Test
    void aGangGetsItsNodesTogetherAndTellsHowFarItIs() {
        node("n", 4);
        group("g", 2);
        member("g-0", "g");
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Inqueue");
        later(GangNews.APART);
        assertThat(Json.textAt(condition(status("g"), "Unschedulable"), "reason"))
                .isEqualTo("NotEnoughTasks");

        member("g-1", "g");
        settle();
        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(nodeOf("g-1")).isEqualTo("n");
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
        assertThat(Json.textAt(condition(status("g"), "Scheduled"), "reason"))
                .isEqualTo("tasks in gang are ready to be scheduled");

        runs("g-0");
        runs("g-1");
        settle();
        later(GangNews.PAUSE);
        assertThat(Json.longAt(status("g"), 0, "running")).isEqualTo(2);
        writes();
        settle();
        assertThat(writes()).as("nothing is written where nothing is new").isEmpty();
    }

    @Test
    void aGangThatDoesNotFitHasNoPodBoundAndSaysWhy() {
        node("n", 3);
        node("m", 3);
        group("g", 3);
        for (int i = 0; i < 3; i++) {
            member("g-" + i, "g", TestingCluster.requests("{\"cpu\":\"2\"}"));
        }
        settle();

        assertThat(writes("binding")).isEmpty();
        JsonNode condition = condition(status("g"), "Unschedulable");
        assertThat(Json.textAt(condition, "reason")).isEqualTo("NotEnoughResources");
        assertThat(Json.textAt(condition, "message"))
                .startsWith("1/3 tasks in gang unschedulable: pod group is not ready")
                .contains("2 Insufficient cpu");
        JsonNode pod = condition(Json.at(api.get(Scheduler.PODS, "default", "g-2"), "status"), "PodScheduled");
        assertThat(Json.textAt(pod, "status")).isEqualTo("False");
        assertThat(Json.textAt(pod, "reason")).isEqualTo("Unschedulable");
    }

    @Test
    void bothSortsOfPodsShareTheRoom() {
        node("n", 4);
        plain("p", 3);
        settle();
        group("g", 2);
        member("g-0", "g");
        member("g-1", "g");
        settle();
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(nodeOf("g-0")).as("only one processor is left").isEmpty();

        ends("p");
        settle();
        assertThat(nodeOf("g-0")).isEqualTo("n");

        plain("q", 3);
        settle();
        assertThat(nodeOf("q")).as("the gang has two").isEmpty();
        ends("g-0");
        settle();
        later(Duration.ofMinutes(1));
        assertThat(nodeOf("q"))
                .as("what a gang gives back helps pods that wait")
                .isEqualTo("n");
    }

    @Test
    void aBindingThatFailedIsTriedAgainAfterAMoment() {
        node("n", 4);
        group("g", 1);
        member("g-0", "g");
        api.fail("post pods/binding default/g-0", ApiException.internal("no"));
        settle();
        assertThat(nodeOf("g-0")).isEmpty();
        assertThat(writes("binding")).hasSize(1);

        later(Duration.ofSeconds(2));
        assertThat(nodeOf("g-0")).isEqualTo("n");
    }

    /** The answer got lost: the pod has its node, and nobody gives it another. */
    @Test
    void aBindingWhoseAnswerWasLostIsNotMadeTwice() {
        node("n", 4);
        group("g", 1);
        member("g-0", "g");
        settle();
        assertThat(writes("binding")).hasSize(1);
        begin();
        later(Duration.ofMinutes(1));

        assertThat(writes("binding")).isEmpty();
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
    }

    @Test
    void aNewSchedulerGoesOnWhereTheOtherStopped() {
        node("n", 2);
        group("first", 2);
        member("first-0", "first");
        member("first-1", "first");
        settle();
        group("second", 1);
        member("second-0", "second");
        settle();
        assertThat(nodeOf("second-0")).isEmpty();
        begin();
        settle();
        assertThat(nodeOf("second-0")).as("the room is taken").isEmpty();

        ends("first-0");
        settle();
        assertThat(nodeOf("second-0")).isEqualTo("n");
    }

    @Test
    void theSpellingOfKubeBatchIsUnderstood() {
        node("n", 2);
        create(GangKinds.OLD_GROUPS, "{\"metadata\":{\"name\":\"old\"},\"spec\":{\"minMember\":2}}");
        member("old-0", "old", "{\"spec\":{\"schedulerName\":\"kube-batch\"}}");
        settle();
        assertThat(nodeOf("old-0")).isEmpty();
        member("old-1", "old", "{\"spec\":{\"schedulerName\":\"kube-batch\"}}");
        settle();

        assertThat(nodeOf("old-0")).isEqualTo("n");
        assertThat(Json.textAt(api.get(GangKinds.OLD_GROUPS, "default", "old"), "status", "phase"))
                .isEqualTo("Running");
    }

    @Test
    void aQueueTellsWhatItHasWithTheQueuesBelowIt() {
        node("n", 4);
        create(GangKinds.QUEUES, "{\"metadata\":{\"name\":\"team\"},\"spec\":{\"weight\":1,\"parent\":\"root\"}}");
        group("g", 2, "{\"spec\":{\"queue\":\"team\"}}");
        member("g-0", "g");
        member("g-1", "g");
        settle();
        later(QueueStatuses.PAUSE);

        JsonNode had = Json.parse("{\"cpu\":\"2\",\"memory\":\"0\",\"pods\":\"2\"}");
        assertThat(Json.at(api.get(GangKinds.QUEUES, "", "team"), "status", "allocated"))
                .isEqualTo(had);
        assertThat(Json.at(api.get(GangKinds.QUEUES, "", "root"), "status", "allocated"))
                .isEqualTo(had);
        ends("g-0");
        settle();
        later(QueueStatuses.PAUSE);
        assertThat(Json.textAt(api.get(GangKinds.QUEUES, "", "team"), "status", "allocated", "cpu"))
                .isEqualTo("1");
    }

    @Test
    void whatAQueueHadForAMomentIsNotTold() {
        node("n", 4);
        settle();
        later(QueueStatuses.PAUSE);
        api.takeWrites();
        group("g", 1);
        member("g-0", "g");
        settle();
        later(Duration.ofMillis(500));
        assertThat(nodeOf("g-0")).isEqualTo("n");
        ends("g-0");
        settle();
        later(QueueStatuses.PAUSE);
        assertThat(api.takeWrites()).filteredOn(each -> each.contains("queues")).isEmpty();
    }

    @Test
    void whatManyGangsChangeInAQueueIsToldTogether() {
        node("n", 4);
        settle();
        later(QueueStatuses.PAUSE);
        api.takeWrites();
        for (int i = 0; i < 4; i++) {
            group("g" + i, 1);
            member("g" + i + "-0", "g" + i);
            settle();
            later(QueueStatuses.PAUSE.dividedBy(4));
        }
        assertThat(Json.textAt(api.get(GangKinds.QUEUES, "", "default"), "status", "allocated", "cpu"))
                .isEqualTo("4");
        assertThat(api.takeWrites())
                .filteredOn(each -> each.contains("queues"))
                .as("one for the queue, one for the root")
                .hasSize(2);
    }

    @Test
    void othersGoForAMoreImportantGang() {
        preempting();
        settle();
        assertThat(isLeaving("low-1")).isTrue();
        assertThat(isLeaving("low-0")).isFalse();
        JsonNode told = Json.at(api.get(Scheduler.PODS, "default", "low-1"), "status");
        assertThat(Json.string(condition(told, "Ready")))
                .contains("\"status\":\"False\"")
                .contains("\"reason\":\"Evict\",\"message\":\"Pod is evicted, because of preempt\"");
        assertThat(Json.string(condition(told, "DisruptionTarget")))
                .contains("\"status\":\"True\"")
                .contains("\"reason\":\"PreemptionByScheduler\"")
                .contains("\"message\":\"volcano: preempting to accommodate a higher priority pod\"");
        assertThat(nodeOf("high-0")).as("there is no room yet").isEmpty();
        ends("low-1");
        settle();

        assertThat(nodeOf("low-0")).isEqualTo("n");
        assertThat(nodeOf("high-0")).isEqualTo("n");
    }

    @Test
    void aPodThatABudgetProtectsStaysUntilTheBudgetAllowsIt() {
        preempting();
        api.fail(
                "post pods/eviction default/low-1",
                ApiException.of(
                                429,
                                "TooManyRequests",
                                "Cannot evict pod as it would violate the pod's disruption budget.")
                        .cause("DisruptionBudget", "The disruption budget low needs 2 healthy pods", ""));
        settle();
        assertThat(isLeaving("low-1")).isFalse();
        assertThat(condition(Json.at(api.get(Scheduler.PODS, "default", "low-1"), "status"), "DisruptionTarget"))
                .as("one that stays does not look as if it went")
                .isEmpty();
        assertThat(writes("eviction")).as("not again and again").hasSize(1);
        later(Duration.ofSeconds(9));
        assertThat(writes("eviction")).isEmpty();

        later(Duration.ofSeconds(2));
        assertThat(isLeaving("low-1")).isTrue();
        ends("low-1");
        settle();
        assertThat(nodeOf("high-0")).isEqualTo("n");
    }

    @Test
    void aBusyServerIsAskedAgainSoonAndThenLessAndLessOften() {
        preempting();
        List<Integer> asked = new ArrayList<>();
        for (int second = 0; second < 30; second++) {
            api.fail("post pods/eviction default/low-1", ApiException.of(429, "TooManyRequests", "the server is busy"));
            later(second == 0 ? Duration.ZERO : Duration.ofSeconds(1));
            if (!writes("eviction").isEmpty()) {
                asked.add(second);
            }
        }
        assertThat(asked).containsExactly(0, 1, 3, 7, 15, 25);
    }

    @Test
    void whatAGangCanBeginWithoutWaitsForOthersThatAreComing() {
        node("n", 4);
        for (String gang : List.of("a", "b")) {
            group(gang, 1);
            for (int i = 0; i < 4; i++) {
                member(gang + "-" + i, gang);
            }
            settle();
            assertThat(nodeOf(gang + "-0")).as("what it needs it gets at once").isEqualTo("n");
            now = now.plusMillis(400);
        }
        assertThat(writes("binding")).hasSize(2);
        assertThat(condition(Json.at(api.get(Scheduler.PODS, "default", "a-1"), "status"), "PodScheduled"))
                .as("nobody has refused it")
                .isEmpty();

        later(Duration.ofMillis(100));
        assertThat(nodeOf("a-1")).isEqualTo("n");
        assertThat(nodeOf("b-1")).isEqualTo("n");
        assertThat(Json.textAt(
                        condition(Json.at(api.get(Scheduler.PODS, "default", "a-2"), "status"), "PodScheduled"),
                        "reason"))
                .isEqualTo("Unschedulable");
    }
}
