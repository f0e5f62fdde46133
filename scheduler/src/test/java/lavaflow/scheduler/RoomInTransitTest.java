package lavaflow.scheduler;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static lavaflow.scheduler.TestingCluster.priority;
import static org.assertj.core.api.Assertions.assertThat;

/** Room that somebody has to leave is for the one he leaves it for, whoever places pods. */
class RoomInTransitTest extends TestingGangCluster {
    @Test
    void whatAGangWaitsForIsNotGivenToASinglePod() {
        preempting();
        settle();
        assertThat(isLeaving("low-1")).isTrue();

        plain("p", 1);
        ends("low-1");
        settle();
        assertThat(nodeOf("high-0")).isEqualTo("n");
        assertThat(nodeOf("p")).isEmpty();
    }

    @Test
    void aSinglePodGetsThePlaceOfAGangThatGaveUp() {
        preempting();
        settle();
        plain("p", 1);
        settle();
        assertThat(nodeOf("p")).isEmpty();
        ends("high-0");
        settle();
        ends("low-1");
        settle();
        later(Duration.ofMinutes(1));

        assertThat(nodeOf("p")).isEqualTo("n");
    }

    @Test
    void whatASinglePodWaitsForIsNotGivenToAGang() {
        node("n", 2);
        group("g", 1);
        member("g-0", "g");
        member("g-1", "g");
        settle();
        later(Duration.ofSeconds(1));
        runs("g-0");
        runs("g-1");
        settle();
        plain("p", 1, priority(100));
        settle();
        String victim = isLeaving("g-0") ? "g-0" : "g-1";
        assertThat(isLeaving(victim)).isTrue();

        member("g-2", "g");
        settle();
        // Heard of together, as after a while of silence.
        ends(victim);
        settle();
        later(Duration.ofMinutes(1));
        assertThat(nodeOf("p")).isEqualTo("n");
        assertThat(nodeOf("g-2")).isEmpty();
    }

    @Test
    void aGangThatHasTooFewLeftGoesAsAWhole() {
        node("n", 1);
        node("m", 1);
        group("g", 2);
        member("g-0", "g");
        member("g-1", "g");
        settle();
        runs("g-0");
        runs("g-1");
        settle();
        plain("p", 1, priority(100));
        settle();

        assertThat(isLeaving("g-0")).isTrue();
        assertThat(isLeaving("g-1")).as("it is of no use alone").isTrue();
    }

    @Test
    void whoCanSpareAPodIsAskedBeforeAGangThatCannot() {
        node("n", 1);
        node("m", 2);
        group("whole", 2);
        member("whole-0", "whole");
        member("whole-1", "whole");
        group("loose", 1);
        member("loose-0", "loose");
        settle();
        for (String name : new String[] {"whole-0", "whole-1", "loose-0"}) {
            runs(name);
        }
        settle();
        plain("p", 1, priority(100));
        settle();

        assertThat(isLeaving("loose-0")).isTrue();
        assertThat(isLeaving("whole-0") || isLeaving("whole-1")).isFalse();
    }
}
