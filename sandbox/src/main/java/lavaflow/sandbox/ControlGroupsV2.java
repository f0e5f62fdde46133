package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One hierarchy for all controllers. */
record ControlGroupsV2(Path root) implements ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroupsV2.class);
    private static final List<String> CONTROLLERS = List.of("cpuset", "cpu", "io", "memory", "pids");
    private static final Set<String> LIMITING = Set.of("cpu", "memory", "pids");

    @Override
    public boolean limited() {
        return available(root).containsAll(LIMITING) && Files.isWritable(root.resolve("cgroup.subtree_control"));
    }

    private static Set<String> available(Path directory) {
        try {
            return Set.of(Files.readString(directory.resolve("cgroup.controllers"))
                    .strip()
                    .split(" ", -1));
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** A controller works in a group once every group above passes it on. */
    @Override
    public void create(String path) throws IOException {
        Path directory = root;
        for (Path name : Path.of(path)) {
            passOn(directory);
            directory = directory.resolve(name);
            Files.createDirectories(directory);
        }
    }

    private static void passOn(Path directory) throws IOException {
        Set<String> available = available(directory);
        Path control = directory.resolve("cgroup.subtree_control");
        for (String controller : CONTROLLERS) {
            if (available.contains(controller)) {
                try {
                    ControlGroups.write(control, "+" + controller);
                } catch (IOException e) {
                    if (LIMITING.contains(controller)) {
                        throw e;
                    }
                    LOG.debug("{} not passed on by {}", controller, directory, e);
                }
            }
        }
    }

    @Override
    public void limit(String path, Limits limits) throws IOException {
        Path group = root.resolve(path);
        ControlGroups.write(group.resolve("cpu.weight"), Long.toString(weight(limits.cpuShares())));
        ControlGroups.write(
                group.resolve("cpu.max"),
                (limits.cpuQuotaMicros() == 0 ? "max" : Long.toString(Math.max(1000, limits.cpuQuotaMicros()))) + " "
                        + PERIOD_MICROS);
        ControlGroups.write(
                group.resolve("memory.max"), limits.memoryBytes() == 0 ? "max" : Long.toString(limits.memoryBytes()));
        ControlGroups.write(group.resolve("pids.max"), limits.pids() == 0 ? "max" : Long.toString(limits.pids()));
    }

    /** From shares, 2 to 262144, to weights, 1 to 10000. */
    static long weight(long shares) {
        long bounded = Math.clamp(shares, 2, 262_144);
        return 1 + (bounded - 2) * 9999 / 262_142;
    }

    @Override
    public Usage usage(String path) {
        Path group = root.resolve(path);
        long memory = ControlGroups.readLong(group.resolve("memory.current"));
        Path stat = group.resolve("memory.stat");
        return new Usage(
                ControlGroups.readField(group.resolve("cpu.stat"), "usage_usec") * 1000,
                memory,
                Math.max(0, memory - ControlGroups.readField(stat, "inactive_file")),
                ControlGroups.readField(stat, "anon"),
                ControlGroups.readLong(group.resolve("pids.current")));
    }

    @Override
    public long outOfMemoryKills(String path) {
        return ControlGroups.readField(root.resolve(path).resolve("memory.events"), "oom_kill");
    }

    @Override
    public Path membership(String path) {
        return root.resolve(path);
    }

    @Override
    public String makeExecution(String path) throws IOException {
        return Files.createDirectories(root.resolve(path)).getFileName().toString();
    }

    @Override
    public void place(String path, long pid) throws IOException {
        create(path);
        ControlGroups.write(root.resolve(path).resolve("cgroup.procs"), Long.toString(pid));
    }

    @Override
    public List<Path> directories(String path) {
        return List.of(root.resolve(path));
    }

    @Override
    public void mostProcesses(String path, String count) {
        try {
            ControlGroups.write(root.resolve(path).resolve("pids.max"), count);
        } catch (IOException e) {
            LOG.debug("{}", path, e);
        }
    }

    /** The kernel kills a whole group by itself since 5.14. */
    @Override
    public void killAll(String path) throws IOException {
        Path kill = root.resolve(path).resolve("cgroup.kill");
        if (Files.exists(kill)) {
            ControlGroups.write(kill, "1");
        } else {
            ControlGroups.super.killAll(path);
        }
    }
}
