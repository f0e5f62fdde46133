package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import lavaflow.linux.Mounts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Files of control groups, on trees that are made up. */
class ControlGroupsTest {
    @TempDir
    Path root;

    private static Mounts.Entry mounted(String target, String type, String options) {
        return new Mounts.Entry(Path.of("/"), Path.of(target), "rw", "", type, type, options);
    }

    private void file(String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private String read(String path) throws IOException {
        return Files.readString(root.resolve(path));
    }

    @Test
    void oneHierarchyIsFound() {
        assertThat(ControlGroups.detect(List.of(mounted("/sys/fs/cgroup", "cgroup2", "rw")), root))
                .isEqualTo(new ControlGroupsV2(Path.of("/sys/fs/cgroup")));
    }

    @Test
    void aHierarchyForEachControllerIsFoundAlsoBesideAnother() {
        ControlGroups groups = ControlGroups.detect(
                List.of(
                        mounted("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"),
                        mounted("/sys/fs/cgroup/memory", "cgroup", "rw,memory"),
                        mounted("/sys/fs/cgroup/pids", "cgroup", "rw,pids"),
                        mounted("/sys/fs/cgroup/unified", "cgroup2", "rw")),
                root);

        assertThat(groups).isInstanceOf(ControlGroupsV1.class);
        assertThat(groups.limited()).isTrue();
        assertThat(groups.directories("a/b"))
                .containsExactly(
                        Path.of("/sys/fs/cgroup/cpu,cpuacct/a/b"),
                        Path.of("/sys/fs/cgroup/memory/a/b"),
                        Path.of("/sys/fs/cgroup/pids/a/b"),
                        Path.of("/sys/fs/cgroup/unified/a/b"));
    }

    @Test
    void crunIsNotUsedWhereBothVersionsHaveControllers() throws IOException {
        Mounts.Entry first = mounted(root.resolve("pids").toString(), "cgroup", "rw,pids");
        Mounts.Entry second =
                mounted(Files.createDirectories(root.resolve("unified")).toString(), "cgroup2", "rw");
        Path controllers = root.resolve("unified/cgroup.controllers");

        Files.writeString(controllers, "hugetlb\n");
        assertThat(OciRuntime.obstacle(List.of(first, second)))
                .hasValueSatisfying(why -> assertThat(why).contains("install runc"));
        assertThat(OciRuntime.obstacle(List.of(second))).isEmpty();
        Files.writeString(controllers, "\n");
        assertThat(OciRuntime.obstacle(List.of(first, second))).isEmpty();
    }

    @Test
    void whatCrunSaysIsToldOnce() {
        String esc = Character.toString(27);
        assertThat(Supervisor.cleaned("time=\"x\" level=error msg=\"no such `sh`\"\n" + esc
                        + "[1;31m2026-11-16T02:57:37.661467Z: no such `sh`" + esc + "[0m\n"))
                .isEqualTo("no such `sh`");
    }

    @Test
    void withoutAnyNothingIsLimited() {
        assertThat(ControlGroups.detect(List.of(), root).limited()).isFalse();
        assertThat(ControlGroups.detect(List.of(mounted("/sys/fs/cgroup/unified", "cgroup2", "rw")), root)
                        .limited())
                .isFalse();
    }

    @Test
    void controllersArePassedOnFromTheRootToThePod() throws Exception {
        for (String directory : List.of("", "lava-x/", "lava-x/burstable/")) {
            file(directory + "cgroup.controllers", "cpu memory pids hugetlb\n");
            file(directory + "cgroup.subtree_control", "");
        }
        ControlGroups groups = new ControlGroupsV2(root);

        groups.create("lava-x/burstable/pod1");

        assertThat(groups.limited()).isTrue();
        assertThat(root.resolve("lava-x/burstable/pod1")).isDirectory();
        for (String directory : List.of("", "lava-x/", "lava-x/burstable/")) {
            // The kernel takes them one by one; a mere file keeps them over each other.
            assertThat(read(directory + "cgroup.subtree_control")).isEqualTo("+pidsry");
        }
    }

    @Test
    void limitsAreWrittenInTheFormOfOneHierarchy() throws Exception {
        for (String name : List.of("cpu.weight", "cpu.max", "memory.max", "pids.max")) {
            file("g/" + name, "");
        }
        ControlGroups groups = new ControlGroupsV2(root);

        groups.limit("g", new Limits(1024, 50_000, 1 << 20, 10));
        assertThat(List.of(read("g/cpu.weight"), read("g/cpu.max"), read("g/memory.max"), read("g/pids.max")))
                .containsExactly("100", "50000 100000", "1048576", "10");
        groups.limit("g", Limits.NONE);
        assertThat(read("g/cpu.weight")).startsWith("1");
        assertThat(read("g/cpu.max")).startsWith("max 100000");
        assertThat(read("g/memory.max")).startsWith("max");
    }

    @Test
    void weightsFollowShares() {
        assertThat(List.of(0L, 2L, 3L, 10L, 102L, 512L, 1024L, 2048L, 10_240L, 262_144L, 1L << 40))
                .extracting(ControlGroupsV2::weight)
                .containsExactly(1L, 1L, 2L, 4L, 17L, 59L, 100L, 174L, 639L, 10_000L, 10_000L);
    }

    @Test
    void containersDoNotSwapWhereSwapIsCountedAndEndAsAWhole() throws Exception {
        file("cgroup.controllers", "cpu memory pids");
        Files.createDirectories(root.resolve("lava-x/pod1"));
        ControlGroupsV2 groups = new ControlGroupsV2(root);

        assertThat(groups.words("lava-x/pod1/a", new Limits(1024, 0, 0, 0)))
                .containsExactly(Map.entry("cpu.weight", "100"), Map.entry("memory.oom.group", "1"));
        file("lava-x/pod1/memory.swap.max", "max");
        assertThat(groups.words("lava-x/pod1/a", Limits.NONE)).containsEntry("memory.swap.max", "0");
        file("cgroup.controllers", "pids");
        assertThat(groups.words("lava-x/pod1/a", Limits.NONE)).isEmpty();
    }

    @Test
    void usageAndKillsAreReadFromOneHierarchy() throws Exception {
        file("g/cpu.stat", "usage_usec 1500\nuser_usec 1\n");
        file("g/memory.current", "1000\n");
        file("g/memory.stat", "anon 400\nfile 600\ninactive_file 250\n");
        file("g/pids.current", "3\n");
        file("g/memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 1\n");
        ControlGroups groups = new ControlGroupsV2(root);

        assertThat(groups.usage("g")).isEqualTo(new Usage(1_500_000, 1000, 750, 400, 3));
        assertThat(groups.outOfMemoryKills("g")).isEqualTo(1);
        assertThat(groups.usage("gone")).isEqualTo(new Usage(0, 0, 0, 0, 0));
        assertThat(groups.outOfMemoryKills("gone")).isZero();
    }

    @Test
    void aWholeGroupIsKilledByTheKernelWhereItCan() throws Exception {
        file("g/cgroup.kill", "");

        new ControlGroupsV2(root).killAll("g");

        assertThat(read("g/cgroup.kill")).isEqualTo("1");
    }

    @Test
    void groupsAreRemovedFromTheInnermost() throws Exception {
        Files.createDirectories(root.resolve("g/pod/container/exec"));

        assertThat(new ControlGroupsV2(root).remove("g")).isTrue();

        assertThat(root.resolve("g")).doesNotExist();
    }
}
