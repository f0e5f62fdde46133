package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import lavaflow.linux.Mounts;
import lavaflow.linux.Signals;
import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;

/** Control groups, by paths that begin below the roots of their hierarchies: {@code lava-x/burstable/pod1/container1}. */
sealed interface ControlGroups permits ControlGroupsV1, ControlGroupsV2, ProcessGroups {
    /** Period of processor quotas. */
    long PERIOD_MICROS = 100_000;

    /** How long the dead may take. */
    Duration BURIAL = Duration.ofMinutes(1);

    /**
     * What this machine has: one hierarchy, or one for each controller, also where both exist beside each other. Those of the
     * machine belong to its root; the root of a user namespace has what was delegated to him.
     *
     * @param others where groups are noted that are no control groups
     */
    static ControlGroups detect(Path others) throws IOException {
        UserNamespace own = UserNamespace.own();
        if (own.isInitial()) {
            return detect(Mounts.table(), others);
        }
        // To root of the machine in a namespace of his own all of it is writable, which does not make it his to
        // rearrange.
        return own.owner() == 0
                ? new ProcessGroups(others, "there are no control groups to use")
                : Delegation.detect(Mounts.table(), Files.readAllLines(Path.of("/proc/self/cgroup")), others);
    }

    static ControlGroups detect(List<Mounts.Entry> mounts, Path others) {
        ControlGroupsV1 first = ControlGroupsV1.of(mounts);
        if (first.limited()) {
            return first;
        }
        return mounts.stream()
                .filter(entry ->
                        entry.type().equals("cgroup2") && entry.target().equals(Path.of("/sys/fs/cgroup")))
                .findFirst()
                .<ControlGroups>map(entry -> new ControlGroupsV2(entry.target()))
                .orElseGet(() -> new ProcessGroups(others, "there are no control groups to use"));
    }

    /** Whether limits can be set at all. */
    boolean limited();

    /** Controllers without which some limits cannot be set, though others can. */
    default Set<String> missing() {
        return Set.of();
    }

    /** Why limits, or some of them, are not enforced; empty where all are. */
    Optional<String> unlimited();

    /** What is not enforced and why, in one sentence; empty where all is. */
    default Optional<String> notice() {
        Map<String, String> limits = new LinkedHashMap<>();
        limits.put("cpu", "processor time");
        limits.put("memory", "memory");
        limits.put("pids", "the number of processes");
        if (limited()) {
            limits.keySet().retainAll(missing());
        }
        return unlimited()
                .map(why -> "Limits of " + String.join(", ", limits.values()) + " are not enforced: " + why + ".");
    }

    /** What runtimes are told of a group. */
    default String told(String path) {
        return "/" + path;
    }

    /** Undoes what was done to the machine beside making groups; for when all of them are gone. */
    default void leave() throws IOException {}

    /** Makes a group and what leads to it. */
    void create(String path) throws IOException;

    void limit(String path, Limits limits) throws IOException;

    Usage usage(String path);

    /** How many processes the kernel killed in a group for want of memory. */
    long outOfMemoryKills(String path);

    /** The directory whose {@code cgroup.procs} says who is in a group. */
    Path membership(String path);

    /** A container's first process is there; told before its program runs. */
    default void begun(String path, long pid) throws IOException {}

    /** Whether a process is in a group. */
    default boolean contains(String path, long pid) {
        return processes(path).contains(pid);
    }

    /** Makes a group for a command in a container; what the runtime is told of it, null where there are no groups. */
    @Nullable
    String makeExecution(String path) throws IOException;

    /** Puts a process into a group, where that costs little: with a hierarchy for each controller it costs milliseconds. */
    default void place(String path, long pid) throws IOException {}

    /** Every directory that a group has. */
    List<Path> directories(String path);

    /** Bounds the processes of a group, if it exists: a number, or {@code max}. */
    void mostProcesses(String path, String count);

    /** The processes of a group and of the groups in it. */
    default List<Long> processes(String path) {
        List<Long> pids = new ArrayList<>();
        collect(membership(path), pids);
        return pids;
    }

    private static void collect(Path directory, List<Long> pids) {
        try {
            Files.readAllLines(directory.resolve("cgroup.procs")).forEach(line -> pids.add(Long.parseLong(line)));
            for (Path child : children(directory)) {
                collect(child, pids);
            }
        } catch (IOException e) {
            // A group that is gone has no processes.
            return;
        }
    }

    /**
     * Kills all processes of a group. Whoever forks faster than we kill is stopped from forking first, which is why it ends:
     * after each round there are fewer.
     */
    default void killAll(String path) throws IOException {
        List<Long> pids = processes(path);
        if (pids.isEmpty()) {
            return;
        }
        // First a blow for those who are there: a shell that cannot fork ends by itself, with a code of its own.
        kill(pids);
        mostProcesses(path, "0");
        try {
            killUntilNoneIsNew(path);
        } finally {
            // Who has been killed forks no more, and the group may be wanted again while the last of them are being
            // buried.
            mostProcesses(path, "max");
        }
    }

    /**
     * Kills all processes of a group and waits until they are buried, for a minute at most: who starts something there next must
     * not meet them.
     */
    default void empty(String path) throws IOException {
        killAll(path);
        long deadline = System.nanoTime() + BURIAL.toNanos();
        while (!processes(path).isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
            killAll(path);
        }
    }

    private void killUntilNoneIsNew(String path) throws IOException {
        List<Long> pids = processes(path);
        while (!pids.isEmpty()) {
            boolean any = kill(pids);
            List<Long> left = processes(path);
            if (!any || left.equals(pids)) {
                return;
            }
            pids = left;
        }
    }

    /** Whether any of them was still there. */
    private static boolean kill(List<Long> pids) throws IOException {
        boolean any = false;
        for (long pid : pids) {
            any |= pid > 1 && pid != ProcessHandle.current().pid() && Signals.send(pid, Signals.KILL);
        }
        return any;
    }

    /** Takes a group away, with all groups in it; those that still have processes stay. Returns whether it is gone. */
    default boolean remove(String path) throws IOException {
        boolean gone = true;
        for (Path directory : directories(path)) {
            gone &= removeTree(directory);
        }
        return gone;
    }

    /** Control groups are removed by removing their directories; the files in them go with them. */
    static boolean removeTree(Path directory) throws IOException {
        try {
            boolean gone = true;
            for (Path child : children(directory)) {
                gone &= removeTree(child);
            }
            if (gone) {
                Files.deleteIfExists(directory);
            }
            return gone;
        } catch (NoSuchFileException e) {
            return true;
        } catch (java.nio.file.FileSystemException e) {
            // Somebody is still in it, or dies just now.
            return !Files.exists(directory);
        }
    }

    static List<Path> children(Path directory) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, Files::isDirectory)) {
            stream.forEach(children::add);
        } catch (java.nio.file.DirectoryIteratorException e) {
            throw e.getCause();
        }
        return children;
    }

    static long readLong(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.equals("max") ? 0 : Long.parseLong(text);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** A figure in a file of lines {@code name number}. */
    static long readField(Path file, String name) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(name) && line.length() > name.length() && line.charAt(name.length()) == ' ') {
                    return Long.parseLong(line.substring(name.length() + 1).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }

    static void write(Path file, String value) throws IOException {
        Files.writeString(file, value, java.nio.file.StandardOpenOption.WRITE);
    }
}
