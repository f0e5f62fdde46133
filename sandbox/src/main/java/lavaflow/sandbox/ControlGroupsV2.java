package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One hierarchy for all controllers.
 *
 * @param mount where it is
 * @param root the group in it that ours are in: the first one, or one that was delegated
 */
record ControlGroupsV2(Path mount, Path root) implements ControlGroups {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroupsV2.class);
    private static final List<String> CONTROLLERS = List.of("cpuset", "cpu", "io", "memory", "pids");
    private static final List<String> LIMITING = List.of("cpu", "memory", "pids");
    private static final String SWAP = "memory.swap.max";

    ControlGroupsV2(Path root) {
        this(root, root);
    }

    @Override
    public boolean limited() {
        return missing().size() < LIMITING.size() && Files.isWritable(root.resolve("cgroup.subtree_control"));
    }

    @Override
    public Set<String> missing() {
        Set<String> missing = new LinkedHashSet<>(LIMITING);
        missing.removeAll(available(root));
        return missing;
    }

    @Override
    public Optional<String> unlimited() {
        if (!limited()) {
            return Optional.of("there are no control groups to use");
        }
        Set<String> missing = missing();
        return missing.isEmpty() ? Optional.empty() : Optional.of(notDelegated(missing));
    }

    /** What is said where controllers are missing. */
    static String notDelegated(Set<String> missing) {
        return "the controllers " + String.join(", ", missing) + " of control groups are not delegated;"
                + " sudo systemctl edit user@.service with [Service] Delegate=cpu cpuset io memory pids does that from"
                + " the next login on";
    }

    private static Set<String> available(Path directory) {
        return words(directory.resolve("cgroup.controllers"));
    }

    /** What a file lists. */
    static Set<String> words(Path file) {
        try {
            Set<String> words =
                    new LinkedHashSet<>(List.of(Files.readString(file).strip().split(" ", -1)));
            words.remove("");
            return words;
        } catch (IOException e) {
            return Set.of();
        }
    }

    @Override
    public String told(String path) {
        return Delegation.told(mount, root.resolve(path));
    }

    @Override
    public void leave() throws IOException {
        Delegation.leave(mount, root);
    }

    /** A controller works in a group once every group above passes it on. */
    @Override
    public void create(String path) throws IOException {
        if (Files.notExists(root)) {
            throw new IOException("the control group " + Delegation.told(mount, root)
                    + " is gone, and with it the limits of pods; lava down and lava up take another one");
        }
        Delegation.join(root);
        Path directory = root;
        for (Path name : Path.of(path)) {
            passOn(directory);
            directory = directory.resolve(name);
            Files.createDirectories(directory);
        }
    }

    private void passOn(Path directory) throws IOException {
        Path control = directory.resolve("cgroup.subtree_control");
        Set<String> wanted = new LinkedHashSet<>(CONTROLLERS);
        wanted.retainAll(available(directory));
        wanted.removeAll(words(control));
        if (!wanted.isEmpty() && directory.equals(root)) {
            Delegation.settle(mount, root);
        }
        for (String controller : CONTROLLERS) {
            if (wanted.contains(controller)) {
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
        set(path, "cpu", "cpu.weight", Long.toString(weight(limits.cpuShares())));
        set(
                path,
                "cpu",
                "cpu.max",
                (limits.cpuQuotaMicros() == 0 ? "max" : Long.toString(Math.max(1000, limits.cpuQuotaMicros()))) + " "
                        + PERIOD_MICROS);
        set(path, "memory", "memory.max", limits.memoryBytes() == 0 ? "max" : Long.toString(limits.memoryBytes()));
        set(path, "pids", "pids.max", limits.pids() == 0 ? "max" : Long.toString(limits.pids()));
    }

    private void set(String path, String controller, String name, String value) throws IOException {
        Path group = root.resolve(path);
        if (Files.notExists(group.resolve("cgroup.controllers"))
                || available(group).contains(controller)) {
            ControlGroups.write(group.resolve(name), value);
        }
    }

    /**
     * From shares, 2 to 262144, to weights, 1 to 10000, as Kubernetes 1.36 does: a whole processor, 1024, is the weight
     * of a group that nobody gave any, 100.
     */
    static long weight(long shares) {
        long bounded = Math.clamp(shares, 2, 262_144);
        double doublings = Math.log((double) bounded) / Math.log(2);
        double exponent = (doublings * doublings + 125 * doublings) / 612 - 7.0 / 34;
        // What is a whole number but for the last digits of a computation is meant to be one.
        long weight = (long) Math.ceil(Math.pow(10, exponent) - 1e-9);
        return Math.clamp(weight, 1, 10_000);
    }

    /** What the group of a container is told in the words of this version, for which runtimes have none, or older ones. */
    Map<String, String> words(String path, Limits limits) {
        Map<String, String> words = new LinkedHashMap<>();
        Set<String> available = available(root);
        if (available.contains("cpu")) {
            words.put("cpu.weight", Long.toString(weight(limits.cpuShares())));
        }
        if (available.contains("memory")) {
            words.put("memory.oom.group", "1");
            // Else a limit of memory would only be where swapping begins. Some kernels do not count swap.
            if (Files.exists(root.resolve(path).resolveSibling(SWAP))) {
                words.put(SWAP, "0");
            }
        }
        return words;
    }

    @Override
    public Usage usage(String path) {
        Path group = root.resolve(path);
        long memory = ControlGroups.readLong(group.resolve("memory.current"));
        Path stat = group.resolve("memory.stat");
        long cpuNanos = ControlGroups.readField(group.resolve("cpu.stat"), "usage_usec") * 1000;
        if (Files.notExists(stat) && Files.exists(group)) {
            Usage added = ProcessTable.usage(processes(path));
            return new Usage(cpuNanos, added.memoryBytes(), added.workingSetBytes(), added.rssBytes(), added.pids());
        }
        return new Usage(
                cpuNanos,
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
        try {
            ControlGroups.write(root.resolve(path).resolve("cgroup.procs"), Long.toString(pid));
        } catch (AccessDeniedException e) {
            throw new IOException(
                    "no process may be moved into the control group " + told(path) + " from where lava was started now;"
                            + " start it where it was started before, or stop all pods with lava down first",
                    e);
        }
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
