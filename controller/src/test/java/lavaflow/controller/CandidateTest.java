package lavaflow.controller;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(600)
class CandidateTest {
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final TestingKubeApi api =
            new TestingKubeApi().serve(LEASES, "Lease").serve(KubeApi.Kind.core("events"), "Event");
    /** True time, which nobody has. */
    private long nanos;

    /** A machine whose clock goes its own way: by how much it is wrong, and how fast it runs. */
    private final class Machine {
        private final Candidate candidate;
        private long nextAt;

        Machine(String identity, Duration wrong, double pace) {
            candidate = new Candidate(
                    api,
                    new Candidate.Claim("kube-system", "kube-controller-manager", identity),
                    new Candidate.Clocks(
                            () -> START.plusNanos((long) (nanos * pace)).plus(wrong),
                            () -> (long) (nanos * pace),
                            () -> 0.5));
        }

        /** Tries if it is time to. */
        void move() {
            if (nanos >= nextAt) {
                nextAt = nanos + candidate.step().toNanos();
            }
        }
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private ObjectNode spec() {
        return Json.ensureObject(api.get(LEASES, "kube-system", "kube-controller-manager"), "spec");
    }

    @Test
    void whoComesFirstLeadsAndSaysSoAsClientGoDoes() {
        Machine first = new Machine("a_1", Duration.ZERO, 1);
        first.move();

        assertThat(first.candidate.isLeading()).isTrue();
        assertThat(spec()).isEqualTo(Json.parse("""
                {"holderIdentity":"a_1","leaseDurationSeconds":15,"acquireTime":"2026-01-01T00:00:00.000000Z",
                 "renewTime":"2026-01-01T00:00:00.000000Z","leaseTransitions":0}"""));
        ObjectNode event = api.list(KubeApi.Kind.core("events"), "kube-system", KubeApi.View.WHOLE)
                .items()
                .getFirst();
        assertThat(Json.textAt(event, "message")).isEqualTo("a_1 became leader");
        assertThat(Json.textAt(event, "reason")).isEqualTo("LeaderElection");
        assertThat(first.candidate.metrics())
                .endsWith("leader_election_master_status{name=\"kube-controller-manager\"} 1\n");
    }

    @Test
    void aLeaderRenewsAndOthersWait() {
        Machine first = new Machine("a", Duration.ZERO, 1);
        Machine second = new Machine("b", Duration.ZERO, 1);
        first.move();
        second.move();
        for (int second1 = 0; second1 < 120; second1++) {
            pass(Duration.ofSeconds(1));
            first.move();
            second.move();
            assertThat(first.candidate.isLeading()).isTrue();
            assertThat(second.candidate.isLeading()).isFalse();
        }

        assertThat(Json.textAt(spec(), "acquireTime")).isEqualTo("2026-01-01T00:00:00.000000Z");
        assertThat(Json.textAt(spec(), "renewTime")).isEqualTo("2026-01-01T00:02:00.000000Z");
    }

    @Test
    void aLeaderThatIsGoneIsFollowedAfterItsLease() {
        Machine first = new Machine("a", Duration.ZERO, 1);
        Machine second = new Machine("b", Duration.ZERO, 1);
        first.move();
        second.move();
        pass(Duration.ofSeconds(14));
        second.move();
        assertThat(second.candidate.isLeading()).isFalse();
        pass(Duration.ofSeconds(4));
        second.move();

        assertThat(second.candidate.isLeading()).isTrue();
        assertThat(Json.longAt(spec(), 0, "leaseTransitions")).isEqualTo(1);
        assertThat(Json.textAt(spec(), "holderIdentity")).isEqualTo("b");
    }

    @Test
    void aLeaseThatWasGivenBackIsTakenAtOnce() {
        Machine first = new Machine("a", Duration.ZERO, 1);
        Machine second = new Machine("b", Duration.ZERO, 1);
        first.move();
        second.move();
        first.candidate.release();
        assertThat(first.candidate.isLeading()).isFalse();
        assertThat(Json.textAt(spec(), "holderIdentity")).isEmpty();
        assertThat(Json.longAt(spec(), 0, "leaseDurationSeconds")).isEqualTo(1);
        second.candidate.step();

        assertThat(second.candidate.isLeading()).isTrue();
    }

    @Test
    void aLeaderThatCannotRenewStopsBeforeOthersBegin() {
        Machine first = new Machine("a", Duration.ZERO, 1);
        first.move();
        for (int i = 0; i < 4; i++) {
            pass(LeaderElection.RETRY);
            failOnce();
            first.move();
            assertThat(first.candidate.isLeading())
                    .as("after %s s", 2 * (i + 1))
                    .isTrue();
        }
        pass(LeaderElection.RETRY);
        failOnce();
        first.move();

        assertThat(first.candidate.isLeading()).isFalse();
    }

    private void failOnce() {
        api.fail(
                "find leases.coordination.k8s.io kube-system/kube-controller-manager",
                ApiException.of(500, "", "down"));
    }

    @Test
    void twoNeverLeadAtOnceWhateverTheirClocksSay() {
        for (int seed = 0; seed < 50; seed++) {
            nanos = 0;
            api.delete(LEASES, "kube-system", "kube-controller-manager", KubeApi.Deletion.PLAIN);
            Random random = new Random(seed);
            List<Machine> machines = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Duration wrong = Duration.ofSeconds(random.nextInt(-100_000, 100_000));
                machines.add(new Machine("m" + i, wrong, 0.85 + 0.4 * random.nextDouble()));
            }
            int terms = 0;
            boolean led = false;
            for (int tick = 0; tick < 2_000; tick++) {
                pass(Duration.ofMillis(250));
                for (Machine machine : machines) {
                    // Now and then a machine stands still for a while.
                    if (random.nextInt(200) == 0) {
                        machine.nextAt =
                                nanos + Duration.ofSeconds(random.nextInt(1, 5)).toNanos();
                    }
                    if (nanos >= machine.nextAt && random.nextInt(3) == 0) {
                        failOnce();
                    }
                    machine.move();
                }
                long leaders = machines.stream()
                        .filter(machine -> machine.candidate.isLeading())
                        .count();
                assertThat(leaders).as("leaders, seed %s, tick %s", seed, tick).isLessThanOrEqualTo(1);
                terms += !led && leaders == 1 ? 1 : 0;
                led = leaders == 1;
            }
            assertThat(terms).as("somebody leads, seed %s", seed).isPositive();
        }
    }

    @Test
    void workBeginsWithTheLeaseAndTheLoopEndsWhenInterrupted() throws InterruptedException {
        Candidate candidate = new Candidate(
                api,
                new Candidate.Claim("kube-system", "lease", "me"),
                new Candidate.Clocks(() -> START, () -> 0, () -> 0));
        java.util.concurrent.CountDownLatch began = new java.util.concurrent.CountDownLatch(1);
        List<Boolean> lost = new ArrayList<>();
        Thread loop = Thread.ofVirtual().start(() -> lost.add(candidate.run(began::countDown)));
        began.await();
        loop.interrupt();
        loop.join();

        assertThat(lost).containsExactly(false);
        assertThat(candidate.isLeading()).as("until it is released").isTrue();
    }
}
