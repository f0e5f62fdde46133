package lavaflow.sandbox;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What containers may use, and what happens to those that want more. */
@Timeout(600)
class LimitsTest {
    private static final long MEBI = 1 << 20;
    /** Doubles a text until there is no room. */
    private static final String HOG = "python3 -c 'x = bytearray(200 << 20); print(len(x))'";

    private TestingMachine machine;

    @BeforeEach
    void open() throws Exception {
        machine = new TestingMachine();
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    private Wish script(String text) {
        return Wish.script(machine, "a", text);
    }

    /** Its first process needs no other once it goes off: a shell that cannot have one more ends, and all with it. */
    private static final String BOMB = "b() { b | b & }; b & exec sleep 1000";

    @Test
    void aProgramThatWantsTooMuchMemoryIsKilledAndThatIsTold() throws Exception {
        machine.assumeLimits();
        TestingMachine.assumePython();
        script("exec " + HOG).limits(new Limits(0, 0, 64 * MEBI, 0)).start();

        ContainerExit exit = machine.exit("a");

        assertThat(exit.code()).isEqualTo(137);
        assertThat(exit.outOfMemory()).isTrue();
    }

    @Test
    void aKillThatHadNothingToDoWithMemoryIsNoneOfIt() throws Exception {
        script("kill -9 $$; sleep 1000 & exec sh -c 'kill -KILL 1; exit 3'")
                .limits(new Limits(0, 0, 64 * MEBI, 0))
                .start();

        assertThat(machine.exit("a").outOfMemory()).isFalse();
    }

    @Test
    void theMemoryOfAPodIsLimitedForItsContainersTogether() throws Exception {
        machine.assumeLimits();
        TestingMachine.assumePython();
        new PodWish("pod-2").limits(new Limits(0, 0, 64 * MEBI, 0)).create(machine.runtime);
        script("exec " + HOG).in("pod-2").start();

        ContainerExit exit = machine.exit("a");
        assertThat(exit.code()).isEqualTo(137);
        assertThat(exit.outOfMemory()).isTrue();
    }

    @Test
    void aBombOfProcessesDoesNotLeaveItsContainer() throws Exception {
        machine.assumeLimits();
        script(BOMB).limits(new Limits(0, 0, 0, 40)).start();
        machine.wish("b", "sleep", "1000").start();

        assertThat(machine.runtime
                        .run("b", List.of("true"), Duration.ofSeconds(90))
                        .code())
                .isZero();
        assertThat(machine.runtime.usage("a").pids()).isBetween(1L, 40L);
        machine.runtime.kill("a");
        assertThat(machine.exit("a").code()).isEqualTo(137);
        machine.runtime.remove("a");
        assertThat(machine.runtime.usage("a").pids()).isZero();
    }

    @Test
    void aBombInAPodThatSharesProcessesIsEndedToo() throws Exception {
        machine.assumeLimits();
        new PodWish("pod-2").hostProcesses().create(machine.runtime);
        script(BOMB).in("pod-2").limits(new Limits(0, 0, 0, 60)).start();

        machine.runtime.kill("a");
        assertThat(machine.exit("a").code()).isEqualTo(137);
        machine.runtime.removeSandbox("pod-2");
        assertThat(machine.runtime.containers()).isEmpty();
    }

    @Test
    void limitsOfAContainerReachItsGroup() throws Exception {
        ControlGroups groups = machine.groups();
        org.junit.jupiter.api.Assumptions.assumeTrue(groups instanceof ControlGroupsV1, "one hierarchy here");
        script("sleep 1000").limits(new Limits(512, 50_000, 64 * MEBI, 33)).start();

        assertThat(figures()).containsExactly(512L, 50_000L, 64 * MEBI, 33L);
        machine.runtime.resize("a", new Limits(256, 25_000, 128 * MEBI, 44));
        assertThat(figures()).containsExactly(256L, 25_000L, 128 * MEBI, 44L);
        machine.runtime.resize("a", new Limits(2, 0, 0, 0));
        assertThat(figures().subList(0, 2)).containsExactly(2L, -1L);
    }

    @Test
    void limitsOfAContainerReachItsGroupOfTheOneHierarchy() throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                machine.groups() instanceof ControlGroupsV2, "a hierarchy for each controller here");
        script("sleep 1000").limits(new Limits(512, 50_000, 64 * MEBI, 33)).start();

        assertThat(texts()).containsExactly("59", "50000 100000", Long.toString(64 * MEBI), "33", "1");
        machine.runtime.resize("a", new Limits(256, 25_000, 128 * MEBI, 44));
        assertThat(texts()).containsExactly("35", "25000 100000", Long.toString(128 * MEBI), "44", "1");
        machine.runtime.resize("a", new Limits(2, 0, 0, 0));
        assertThat(texts()).containsExactly("1", "max 100000", "max", "max", "1");
    }

    private List<String> texts() throws Exception {
        java.nio.file.Path group =
                machine.groups().membership("lava-" + machine.cluster + "/burstable/pod" + TestingMachine.POD + "/a");
        List<String> texts = new java.util.ArrayList<>();
        for (String name : List.of("cpu.weight", "cpu.max", "memory.max", "pids.max", "memory.oom.group")) {
            texts.add(java.nio.file.Files.readString(group.resolve(name)).strip());
        }
        return texts;
    }

    private List<Long> figures() throws Exception {
        String group = "/lava-" + machine.cluster + "/burstable/pod" + TestingMachine.POD + "/a/";
        return List.of(
                ControlGroups.readLong(java.nio.file.Path.of("/sys/fs/cgroup/cpu" + group + "cpu.shares")),
                ControlGroups.readLong(java.nio.file.Path.of("/sys/fs/cgroup/cpu" + group + "cpu.cfs_quota_us")),
                ControlGroups.readLong(
                        java.nio.file.Path.of("/sys/fs/cgroup/memory" + group + "memory.limit_in_bytes")),
                ControlGroups.readLong(java.nio.file.Path.of("/sys/fs/cgroup/pids" + group + "pids.max")));
    }

    @Test
    void whatAContainerUsesIsTold() throws Exception {
        TestingMachine.assumePython();
        Wish.script(
                        machine,
                        "a",
                        "python3 -c 'x = bytearray(50 << 20); print(\"has it\", flush=True); import time; time.sleep(1000)'")
                .start();
        machine.awaitLog("a", "has it");

        // The kernel adds up what its processors counted now and then.
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            Usage usage = machine.runtime.usage("a");
            assertThat(usage.memoryBytes()).as(usage.toString()).isGreaterThan(50 * MEBI);
            assertThat(usage.rssBytes()).isGreaterThan(50 * MEBI);
            assertThat(usage.workingSetBytes()).isBetween(50 * MEBI, usage.memoryBytes());
            assertThat(usage.cpuNanos()).isPositive();
            assertThat(usage.pids()).isPositive();
            Usage pod = machine.runtime.sandboxUsage(TestingMachine.POD);
            assertThat(pod.rssBytes()).isGreaterThanOrEqualTo(usage.rssBytes());
            assertThat(pod.cpuNanos()).isGreaterThanOrEqualTo(usage.cpuNanos());
        });
    }
}
