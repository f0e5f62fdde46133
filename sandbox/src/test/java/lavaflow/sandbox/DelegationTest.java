package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.linux.Mounts;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Control groups that an ordinary user was given, on trees that are made up. */
class DelegationTest {
    private static final List<String> OWN = List.of("0::/user.slice/app.scope");

    @TempDir
    Path root;

    private Path hierarchy;
    private Path scope;
    private Path others;

    @BeforeEach
    void make() throws IOException {
        hierarchy = root.resolve("cgroup");
        scope = Files.createDirectories(hierarchy.resolve("user.slice/app.scope"));
        others = Files.createDirectories(root.resolve("run")).resolve("groups");
        for (String name : List.of("cgroup.procs", "cgroup.subtree_control", "cgroup.type")) {
            Files.createFile(scope.resolve(name));
        }
        controllers("cpu memory pids");
    }

    private void controllers(String names) throws IOException {
        Files.writeString(scope.resolve("cgroup.controllers"), names + "\n");
    }

    private static Mounts.Entry mounted(Path target, String type, String root) {
        return new Mounts.Entry(Path.of(root), target, "rw", "", type, type, "rw");
    }

    private ControlGroups detect(List<String> own) throws IOException {
        return Delegation.detect(List.of(mounted(hierarchy, "cgroup2", "/")), own, others, hierarchy);
    }

    @Test
    void theGroupOfThisProcessIsUsedWhereItIsTheUsers() throws Exception {
        ControlGroups groups = detect(OWN);

        assertThat(groups).isEqualTo(new ControlGroupsV2(hierarchy, scope));
        assertThat(groups.limited()).isTrue();
        assertThat(groups.unlimited()).isEmpty();
        assertThat(groups.told("lava-x/pod")).isEqualTo("/user.slice/app.scope/lava-x/pod");
    }

    @Test
    void whereThisProcessHasMovedItIsTheSameGroup() throws Exception {
        assertThat(detect(List.of("0::/user.slice/app.scope/" + Delegation.LEAF)))
                .isEqualTo(new ControlGroupsV2(hierarchy, scope));
    }

    @Test
    void aHierarchyOfWhichOnlyAPartIsMountedIsSeenFromThere() throws Exception {
        Path inner = Files.createDirectories(hierarchy.resolve("app.scope"));
        for (String name : List.of("cgroup.procs", "cgroup.subtree_control")) {
            Files.createFile(inner.resolve(name));
        }
        Files.writeString(inner.resolve("cgroup.controllers"), "memory");

        ControlGroups groups =
                Delegation.detect(List.of(mounted(hierarchy, "cgroup2", "/user.slice")), OWN, others, hierarchy);

        assertThat(groups).isEqualTo(new ControlGroupsV2(hierarchy, inner));
    }

    @Test
    void whatWasChosenIsFoundAgainFromAnywhere() throws Exception {
        detect(OWN);
        Files.createDirectories(scope.resolve("lava-x"));

        assertThat(detect(List.of("0::/elsewhere"))).isEqualTo(new ControlGroupsV2(hierarchy, scope));
    }

    @Test
    void whereNothingIsLeftInWhatWasChosenItIsChosenAnew() throws Exception {
        detect(OWN);
        Files.createDirectories(scope.resolve(Delegation.LEAF));
        Path other = Files.createDirectories(hierarchy.resolve("user.slice/other.scope"));
        for (String name : List.of("cgroup.procs", "cgroup.subtree_control")) {
            Files.createFile(other.resolve(name));
        }
        Files.writeString(other.resolve("cgroup.controllers"), "memory");

        assertThat(detect(List.of("0::/user.slice/other.scope"))).isEqualTo(new ControlGroupsV2(hierarchy, other));
        assertThat(detect(List.of("0::/elsewhere"))).isInstanceOf(ProcessGroups.class);
    }

    @Test
    void whoWasStartedElsewhereComesToTheOthers() throws Exception {
        Path processes = Files.createDirectories(scope.resolve(Delegation.LEAF)).resolve("cgroup.procs");
        Files.createFile(processes);
        Files.writeString(scope.resolve("cgroup.subtree_control"), "cpu memory pids");
        ControlGroups groups = new ControlGroupsV2(hierarchy, scope);

        groups.create("lava-x");

        assertThat(processes).hasContent(Long.toString(ProcessHandle.current().pid()));
    }

    @Test
    void aGroupThatIsGoneIsNotMadeAgainWithoutLimits() throws Exception {
        Path gone = hierarchy.resolve("user.slice/gone.scope");
        ControlGroups groups = new ControlGroupsV2(hierarchy, gone);

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> groups.create("lava-x/pod"))
                .hasMessageStartingWith("the control group /user.slice/gone.scope is gone")
                .hasMessageContaining("lava down and lava up");
        assertThat(gone).doesNotExist();
    }

    @Test
    void podsThatWereStartedWithoutGoOnWithout() throws Exception {
        Files.createDirectories(others.resolve("lava-x"));

        assertThat(detect(OWN)).isInstanceOf(ProcessGroups.class);
    }

    @Test
    void aGroupOfSomebodyElseIsNotUsedAndWhatToDoIsSaid() throws Exception {
        ControlGroups groups = detect(List.of("0::/user.slice/session-1.scope"));

        assertThat(groups.limited()).isFalse();
        assertThat(groups.unlimited())
                .hasValueSatisfying(why -> assertThat(why)
                        .contains("/user.slice/session-1.scope is not yours")
                        .contains("systemd-run --user --scope -p Delegate=yes lava up"));
    }

    @Test
    void controllersThatAreMissingAreNamed() throws Exception {
        controllers("memory pids");
        ControlGroups some = detect(OWN);
        assertThat(some.limited()).isTrue();
        assertThat(some.missing()).containsExactly("cpu");
        assertThat(some.notice())
                .hasValueSatisfying(told -> assertThat(told)
                        .startsWith("Limits of processor time are not enforced: the controllers cpu of"));
        assertThat(some.unlimited())
                .hasValueSatisfying(why -> assertThat(why)
                        .startsWith("the controllers cpu of control groups are not delegated")
                        .contains("systemctl edit user@.service"));

        Files.delete(others.resolveSibling("control-group"));
        controllers("");
        ControlGroups none = detect(OWN);
        assertThat(none).isInstanceOf(ProcessGroups.class);
        assertThat(none.notice())
                .hasValueSatisfying(told -> assertThat(told)
                        .startsWith("Limits of processor time, memory, the number of processes are not enforced: the"
                                + " controllers cpu, memory, pids of control groups are not delegated;"));
    }

    @Test
    void thoseOfVersionOneAreForRoot() throws Exception {
        ControlGroups groups = Delegation.detect(
                List.of(mounted(hierarchy, "cgroup2", "/"), mounted(root.resolve("memory"), "cgroup", "/")),
                OWN,
                others,
                hierarchy);

        assertThat(groups).isInstanceOf(ProcessGroups.class);
        assertThat(groups.unlimited()).hasValueSatisfying(why -> assertThat(why).contains("version 1"));
    }

    @Test
    void limitsThatCannotBeSetAreLeftOut() throws Exception {
        Path pod = Files.createDirectories(scope.resolve("pod"));
        Files.writeString(pod.resolve("cgroup.controllers"), "memory");
        Files.createFile(pod.resolve("memory.max"));
        ControlGroups groups = new ControlGroupsV2(hierarchy, scope);

        groups.limit("pod", new Limits(1024, 50_000, 1 << 20, 10));

        assertThat(pod.resolve("memory.max")).hasContent("1048576");
        assertThat(pod.resolve("cpu.max")).doesNotExist();
        assertThat(pod.resolve("pids.max")).doesNotExist();
    }

    /** The kernel would take a process out of one file when it is written to the other; here it stays, which is noticed. */
    @Test
    void processesMakeRoomBeforeControllersArePassedOn() throws Exception {
        Files.createDirectories(scope.resolve(Delegation.LEAF));
        Files.createFile(scope.resolve(Delegation.LEAF).resolve("cgroup.procs"));
        Files.writeString(scope.resolve("cgroup.procs"), "4194305\n");

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Delegation.settle(hierarchy, scope))
                .hasMessageContaining("keep coming into the control group /user.slice/app.scope");

        assertThat(scope.resolve(Delegation.LEAF).resolve("cgroup.procs")).hasContent("4194305");
    }

    @Test
    void theFirstGroupOfAllMayHaveProcessesAndControllers() throws Exception {
        Files.delete(scope.resolve("cgroup.type"));
        Files.writeString(scope.resolve("cgroup.procs"), "1\n");

        Delegation.settle(hierarchy, scope);

        assertThat(scope.resolve(Delegation.LEAF)).doesNotExist();
    }

    @Test
    void theGroupIsLeftAsItWasUnlessOthersHaveGroupsInIt() throws Exception {
        Path leaf = Files.createDirectories(scope.resolve(Delegation.LEAF));
        Files.createDirectories(scope.resolve("lava-other"));

        Delegation.leave(hierarchy, scope);

        assertThat(leaf).isDirectory();
        assertThat(scope.resolve("cgroup.subtree_control")).isEmptyFile();
    }

    @Test
    void groupsThatARuntimeMadeGoWithTheContainer() throws Exception {
        Path made = Files.createDirectories(hierarchy.resolve("made"));
        ProcessGroups groups = new ProcessGroups(others, "");
        groups.create("pod/container");
        Files.write(others.resolve("pod/container/made"), List.of(made.toString()));

        assertThat(groups.remove("pod")).isTrue();

        assertThat(made).doesNotExist();
        assertThat(others.resolve("pod")).doesNotExist();
    }

    @Test
    void groupsThatARuntimeMadeAreThoseThisProcessIsNotIn() {
        List<Mounts.Entry> mounts = List.of(
                new Mounts.Entry(Path.of("/"), Path.of("/c/cpu"), "rw", "", "cgroup", "cgroup", "rw,cpu,cpuacct"),
                new Mounts.Entry(Path.of("/"), Path.of("/c/pids"), "rw", "", "cgroup", "cgroup", "rw,pids"),
                new Mounts.Entry(Path.of("/"), Path.of("/c/unified"), "rw", "", "cgroup2", "cgroup2", "rw"));

        assertThat(ProcessGroups.made(
                        List.of("3:cpu,cpuacct:/own/made", "2:pids:/own", "1:memory:/made", "0::/made"),
                        List.of("3:cpu,cpuacct:/own", "2:pids:/own", "1:memory:/own", "0::/"),
                        mounts))
                .containsExactly(Path.of("/c/cpu/own/made"), Path.of("/c/unified/made"));
    }
}
