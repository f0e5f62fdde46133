package lavaflow.scheduler;

import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is told of gangs, and when. */
class GangNewsTest extends TestingGangCluster {
    private static final Duration MOMENT = Duration.ofMillis(50);

    private boolean isToldToWait(String pod) {
        return !condition(Json.at(api.get(Scheduler.PODS, "default", pod), "status"), "PodScheduled")
                .isEmpty();
    }

    @Test
    void aGangWhosePodsAreBeingMadeDoesNotWait() {
        node("n", 10);
        group("g", 8);
        settle();
        assertThat(writes("patch podgroups")).as("it is let in at once").hasSize(1);
        for (int i = 0; i < 8; i++) {
            member("g-" + i, "g");
            later(MOMENT);
        }
        assertThat(nodeOf("g-7")).isEqualTo("n");
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
        assertThat(api.takeWrites())
                .filteredOn(each -> each.contains("patch podgroups") || each.contains("pods/status"))
                .as("once, and no pod was told to wait")
                .hasSize(1);
    }

    @Test
    void aGangWhoseOtherTasksAreBeingMadeDoesNotWait() {
        node("n", 10);
        group("g", 2, "{\"spec\":{\"minTaskMember\":{\"a\":1,\"b\":1}}}");
        settle();
        for (String name : List.of("a-0", "a-1", "b-0")) {
            String role = name.substring(0, 1);
            member(name, "g", "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"" + role + "\"}}}");
            later(MOMENT);
        }
        assertThat(nodeOf("b-0")).isEqualTo("n");
        assertThat(condition(status("g"), "Unschedulable")).isEmpty();
        assertThat(writes("pods/status")).isEmpty();
        later(Duration.ofSeconds(1));
        assertThat(nodeOf("a-1")).isEqualTo("n");
        assertThat(writes("pods/status")).isEmpty();
    }

    @Test
    void aGangWhoseOtherPodsDoNotComeSaysSo() {
        node("n", 10);
        group("g", 8);
        member("g-0", "g");
        settle();
        assertThat(isToldToWait("g-0")).isFalse();

        later(GangNews.APART);
        assertThat(isToldToWait("g-0")).isTrue();
        assertThat(Json.textAt(condition(status("g"), "Unschedulable"), "reason"))
                .isEqualTo("NotEnoughTasks");
    }

    @Test
    void somebodyWhoMakesPodsForEverIsNotWaitedFor() {
        node("n", 10);
        group("g", 1_000);
        for (Duration gone = Duration.ZERO; gone.compareTo(GangNews.LONGEST) < 0; gone = gone.plus(MOMENT)) {
            assertThat(isToldOf()).isFalse();
            member("g-" + gone.toMillis(), "g");
            later(MOMENT);
        }
        later(MOMENT);
        assertThat(isToldOf()).isTrue();
    }

    private boolean isToldOf() {
        return !condition(status("g"), "Unschedulable").isEmpty();
    }

    @Test
    void numbersAreToldAfterAWhile() {
        gangOfEight();
        for (int i = 0; i < 8; i++) {
            runs("g-" + i);
            later(MOMENT);
        }
        assertThat(writes("patch podgroups")).as("it runs, which was told").isEmpty();
        later(GangNews.PAUSE);
        assertThat(Json.longAt(status("g"), 0, "running")).isEqualTo(8);
        assertThat(writes("patch podgroups")).hasSize(1);
    }

    @Test
    void aGangThatEndsIsToldToHaveCompletedAfterAWhile() {
        gangOfEight();
        for (int i = 0; i < 8; i++) {
            succeeds("g-" + i);
        }
        settle();
        assertThat(writes("patch podgroups"))
                .as("its Job knows, and takes the group away")
                .isEmpty();
        later(GangNews.PAUSE);
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Completed");
        assertThat(writes("patch podgroups")).hasSize(1);
    }

    @Test
    void aGangWithEnoughPodsRunsAlsoWhereATaskHasLostAll() {
        node("n", 10);
        group("g", 2, "{\"spec\":{\"minTaskMember\":{\"a\":1,\"b\":1}}}");
        for (String name : List.of("a-0", "b-0", "b-1")) {
            String role = name.substring(0, 1);
            member(name, "g", "{\"metadata\":{\"annotations\":{\"volcano.sh/task-spec\":\"" + role + "\"}}}");
        }
        settle();
        later(Duration.ofMinutes(1));
        runs("b-0");
        runs("b-1");
        phase("a-0", "Failed");
        later(GangNews.PAUSE);
        assertThat(Json.longAt(status("g"), 0, "failed")).isEqualTo(1);
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
    }

    @Test
    void aGangWithTooFewPodsLeftIsUnknown() {
        gangOfEight();
        for (int i = 0; i < 7; i++) {
            runs("g-" + i);
        }
        phase("g-7", "Failed");
        settle();
        later(GangNews.PAUSE);
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Unknown");
    }

    @Test
    void aGangWhosePodIsMadeAnewIsNotUnknownMeanwhile() {
        gangOfEight();
        for (int i = 0; i < 8; i++) {
            runs("g-" + i);
        }
        later(Duration.ofMinutes(1));
        ends("g-7");
        settle();
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
        member("g-7", "g");
        settle();
        runs("g-7");
        later(Duration.ofMinutes(1));
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
        ends("g-7");
        settle();
        later(GangNews.PAUSE);
        assertThat(Json.textAt(status("g"), "phase"))
                .as("it does not come back")
                .isEqualTo("Unknown");
    }

    private void gangOfEight() {
        node("n", 10);
        group("g", 8);
        for (int i = 0; i < 8; i++) {
            member("g-" + i, "g");
        }
        settle();
        later(Duration.ofMinutes(1));
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
        api.takeWrites();
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenLater() {
        node("n", 10);
        group("g", 1);
        settle();
        api.fail("patch podgroups.scheduling.volcano.sh default/g", ApiException.internal("no"));
        member("g-0", "g");
        settle();
        assertThat(nodeOf("g-0")).isEqualTo("n");
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Inqueue");

        later(Duration.ofSeconds(2));
        assertThat(Json.textAt(status("g"), "phase")).isEqualTo("Running");
    }

    private void succeeds(String pod) {
        phase(pod, "Succeeded");
    }

    private void phase(String pod, String phase) {
        api.edit(Scheduler.PODS, "default", pod, object -> {
            Json.ensureObject(object, "status").put("phase", phase);
            return object;
        });
    }
}
