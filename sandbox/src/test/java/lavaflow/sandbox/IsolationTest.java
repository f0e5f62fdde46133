package lavaflow.sandbox;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What a container sees of the machine and of its neighbours, and what it may do. */
@Timeout(600)
class IsolationTest {
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

    private String output(Wish wish) throws Exception {
        return machine.output(wish);
    }

    private Wish script(String text) {
        return Wish.script(machine, "a", text);
    }

    private static ContainerSpec.Privileges privileges(List<String> added, List<String> dropped) {
        return new ContainerSpec.Privileges(
                "", List.of(), false, false, added, dropped, "RuntimeDefault", false, false);
    }

    private static ContainerSpec.Privileges with(boolean privileged, boolean noNew, String seccomp, boolean unmasked) {
        return new ContainerSpec.Privileges(
                "", List.of(), privileged, noNew, List.of(), List.of(), seccomp, unmasked, false);
    }

    @Test
    void itsProcessesAreNumberedFromOneAndItHasTheNameOfItsPod() throws Exception {
        assertThat(output(script("echo $$; hostname; echo $HOSTNAME"))).isEqualTo("1\nhost-a\nhost-a\n");
    }

    @Test
    void theMachineKeepsItsOwnName() throws Exception {
        output(script("true"));

        assertThat(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip())
                .isNotEqualTo("host-a");
        assertThat(InetAddress.getLocalHost()).isNotNull();
    }

    @Test
    void containersOfAPodShareNameMessagesAndMemoryButNotProcesses() throws Exception {
        machine.wish("b", "sleep", "1000").start();
        String inside = "readlink /proc/self/ns/uts /proc/self/ns/ipc; readlink /proc/self/ns/pid; echo x > /dev/shm/y";
        String[] first = output(script(inside)).split("\n", -1);
        String[] second = machine.runtime
                .run("b", List.of("sh", "-c", inside + "; ls /dev/shm"), Duration.ofSeconds(60))
                .output()
                .split("\n", -1);

        assertThat(second[0]).isEqualTo(first[0]);
        assertThat(second[1]).isEqualTo(first[1]);
        assertThat(second[2]).isNotEqualTo(first[2]);
        assertThat(second[3]).isEqualTo("y");
    }

    @Test
    void containersOfAPodShareProcessesWhereThatIsWished() throws Exception {
        new PodWish("pod-2")
                .sharedProcesses()
                .quality(SandboxSpec.Quality.BEST_EFFORT)
                .create(machine.runtime);
        machine.wish("b", "sleep", "4321").in("pod-2").start();

        // A program that was started may still be the runtime for a moment; a pattern does not find itself.
        String seen = output(script(
                        "until cat /proc/*/cmdline | tr '\\0' ' ' | grep -q 'sleep [4]321'; do sleep 0.1; done 2>/dev/null;"
                                + " cat /proc/1/cmdline | tr '\\0' ' '; cat /proc/*/cmdline | tr '\\0' ' '")
                .in("pod-2"));

        assertThat(seen).startsWith("/pause ").contains("sleep 4321");
        // The first process takes leave of orphans.
        String orphans = machine.runtime
                .run(
                        "b",
                        List.of(
                                "sh",
                                "-c",
                                "sh -c 'sleep 0.1 &'; sleep 0.5; for i in $(seq 200); do"
                                        + " grep -qs '^State:.*zombie' /proc/[0-9]*/status || exit 0; sleep 0.1; done;"
                                        + " echo left"),
                        Duration.ofSeconds(60))
                .output();
        assertThat(orphans).isEmpty();
    }

    @Test
    void theProcessesOfTheMachineAreSeenWhereThatIsWished() throws Exception {
        new PodWish("pod-2")
                .hostProcesses()
                .hostMessages()
                .quality(SandboxSpec.Quality.GUARANTEED)
                .create(machine.runtime);

        String seen = output(script("readlink /proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts")
                .in("pod-2"));

        for (String kind : List.of("pid", "ipc", "uts")) {
            assertThat(seen)
                    .contains(Files.readSymbolicLink(Path.of("/proc/self/ns", kind))
                            .toString());
        }
    }

    @Test
    void whatForksInAPodThatSeesTheMachinesProcessesEndsWithItsContainer() throws Exception {
        new PodWish("pod-2")
                .hostProcesses()
                .quality(SandboxSpec.Quality.GUARANTEED)
                .create(machine.runtime);
        String sleep = "sleep 5432." + ProcessHandle.current().pid();
        script("setsid " + sleep + " </dev/null >/dev/null 2>&1 & exit 0")
                .in("pod-2")
                .start();
        machine.exit("a");
        machine.runtime.remove("a");

        // Who has been killed needs a processor to die.
        await().atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.allProcesses()
                        .noneMatch(process ->
                                process.info().commandLine().orElse("").endsWith(sleep)));
    }

    @Test
    void anEphemeralContainerSeesTheProcessesOfItsTarget() throws Exception {
        machine.wish("b", "sleep", "7654").start();

        assertThat(output(script(
                                "until grep -q sleep /proc/1/cmdline; do sleep 0.1; done; cat /proc/1/cmdline | tr '\\0' ' '")
                        .target("b")))
                .isEqualTo("sleep 7654 ");
    }

    @Test
    void aContainerHasTheUsualCapabilitiesOfContainers() throws Exception {
        assertThat(output(script("grep CapEff /proc/self/status"))).isEqualTo(capabilities(0xa80425fbL));
    }

    /** What we have of some capabilities: nobody can hand on what he lacks. */
    private static String capabilities(long wished) throws Exception {
        long own = Long.parseUnsignedLong(own("CapEff:").strip(), 16);
        return "CapEff:\t" + java.util.HexFormat.of().toHexDigits(wished & own) + "\n";
    }

    /** What the kernel says of this process. */
    private static String own(String field) throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(field))
                .map(line -> line.substring(field.length()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void capabilitiesAreAddedAndDropped() throws Exception {
        assertThat(output(script("grep CapEff /proc/self/status")
                        .privileges(privileges(List.of("NET_ADMIN"), List.of("ALL")))))
                .isEqualTo(capabilities(0x1000));
    }

    @Test
    void capabilitiesNobodyKnowsAreRefused() {
        assertThatThrownBy(() -> script("true")
                        .privileges(privileges(List.of("FLY"), List.of()))
                        .start())
                .isInstanceOfSatisfying(
                        SandboxException.class,
                        e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.CONFIGURATION))
                .hasMessage("unknown capability \"CAP_FLY\"");
    }

    @Test
    void systemCallsThatContainersDoNotNeedAreForbidden() throws Exception {
        assertThat(output(script("unshare -U true; echo $?; grep Seccomp: /proc/self/status")))
                .contains("Operation not permitted")
                .contains("Seccomp:\t2");
    }

    /** Processes of MPICH that share a container hand over large messages so; the kernel asks whether they could trace each other. */
    @Test
    void processesOfAContainerMayCopyFromEachOthersMemory() throws Exception {
        String copy = """
                import ctypes, os, time
                text, copied = ctypes.create_string_buffer(b"a message"), ctypes.create_string_buffer(10)
                class Part(ctypes.Structure):
                    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]
                other = os.fork()
                if other == 0:
                    time.sleep(1000)
                to, source = Part(ctypes.addressof(copied), 10), Part(ctypes.addressof(text), 10)
                ctypes.memset(text, 0, 10)
                library = ctypes.CDLL(None, use_errno=True)
                library.process_vm_readv(other, ctypes.byref(to), 1, ctypes.byref(source), 1, 0)
                os.kill(other, 9)
                print(copied.value.decode() or os.strerror(ctypes.get_errno()))
                """;
        assertThat(output(machine.wish("a", "python3", "-c", copy))).isEqualTo("a message\n");
    }

    @Test
    void anUnconfinedContainerMayCallAnything() throws Exception {
        assumeTrue(
                new ProcessBuilder("unshare", "-U", "true").start().waitFor() == 0,
                "this machine lets nobody make user namespaces");
        assertThat(output(script("unshare -U true; echo $?; grep Seccomp: /proc/self/status")
                        .privileges(with(false, false, "Unconfined", false))))
                .isEqualTo("0\nSeccomp:" + own("Seccomp:") + "\n");
    }

    @Test
    void aProfileOfItsOwnIsLoadedAndAMissingOneTold() throws Exception {
        Path profile = machine.directory.resolve("profile.json");
        Files.writeString(profile, """
                {"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdir","mkdirat"],"action":"SCMP_ACT_ERRNO","errnoRet":13}]}
                """);
        assertThat(output(script("mkdir /x; echo $?").privileges(with(false, false, profile.toString(), false))))
                .contains("Permission denied")
                .endsWith("1\n");

        assertThatThrownBy(() -> machine.runtime.create(Wish.script(machine, "b", "true")
                        .privileges(with(false, false, "/nope.json", false))
                        .spec()))
                .hasMessage("cannot load seccomp profile \"/nope.json\": open /nope.json: no such file or directory");
        assertThat(machine.directory.resolve("node/containers/b")).doesNotExist();
    }

    @Test
    void privilegesCannotBeGainedWhereThatIsForbidden() throws Exception {
        assertThat(output(
                        script("grep NoNewPrivs /proc/self/status").privileges(with(false, true, "Unconfined", false))))
                .isEqualTo("NoNewPrivs:\t1\n");
    }

    @Test
    void theMachinesSettingsCannotBeChangedAndSomeNotSeen() throws Exception {
        assertThat(
                        output(
                                script(
                                        "echo 1 > /proc/sys/vm/swappiness; wc -c < /proc/keys; echo x > /sys/fs/cgroup/memory/tasks; touch /sys/x")))
                .contains("/proc/sys/vm/swappiness: Read-only file system")
                .contains("0\n")
                .contains("touch: cannot touch '/sys/x'");
    }

    @Test
    void aPrivilegedContainerSeesDevicesAndMayMount() throws Exception {
        assertThat(output(script(
                                "mount -t tmpfs x /mnt && echo mounted; test -e /dev/kmsg && echo devices; grep Seccomp: /proc/self/status")
                        .privileges(with(true, false, "RuntimeDefault", false))))
                .isEqualTo("mounted\ndevices\nSeccomp:\t0\n");
    }

    @Test
    void aContainerHasOnlyHarmlessDevicesAndThoseItWasGiven() throws Exception {
        Wish wish = script(
                        "ls /dev; head -c 3 /dev/given | wc -c; mknod /tmp/k c 1 11; head -c 1 /tmp/k; echo x > /dev/null && echo ok")
                .device(new ContainerSpec.Device(Path.of("/dev/zero"), "/dev/given", "r"));

        assertThat(output(wish))
                .contains("given\n")
                .contains("3\n")
                .contains("urandom\n")
                .contains("ok\n")
                .contains("/tmp/k")
                .doesNotContain("kmsg\n");
    }

    @Test
    void theScoreForKillingIsBoundedByWhatIsAllowed() throws Exception {
        assertThat(output(script("cat /proc/self/oom_score_adj").oomScore(500))).isEqualTo("500\n");
        Wish.script(machine, "b", "true").oomScore(-998).start();
        assertThat(machine.exit("b").code()).isZero();
    }

    @Test
    void settingsOfItsOwnNamespacesAreMadeAndOthersRefused() throws Exception {
        new PodWish("pod-2").sysctl("kernel.shm_rmid_forced", "1").create(machine.runtime);
        assertThat(output(script("cat /proc/sys/kernel/shm_rmid_forced").in("pod-2")))
                .isEqualTo("1\n");

        assertThatThrownBy(
                        () -> new PodWish("pod-3").sysctl("vm.swappiness", "1").create(machine.runtime))
                .hasMessageContaining("vm.swappiness");
    }
}
