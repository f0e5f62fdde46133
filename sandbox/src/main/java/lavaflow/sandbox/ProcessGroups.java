package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.linux.Mounts;

import org.jspecify.annotations.Nullable;

/**
 * Groups of processes where control groups are not ours to use: nothing can be limited, but who belongs to a container is known
 * all the same. Every container gets a namespace of control groups, which is of no other use here, and which its processes
 * cannot leave; a file keeps it, so that its number stays its own for as long as the group exists. Namespaces of mounts would
 * do, but not every kernel lets all of them be kept.
 *
 * <p>A runtime that may make control groups all the same makes one for every container, beside the one this process is in. They
 * are noted, and go with the container.
 *
 * @param root a directory with one for each group
 * @param why there is nothing better
 */
record ProcessGroups(Path root, String why) implements ControlGroups {
    private static final String MEMBERS = "members";
    private static final String MADE = "made";

    @Override
    public boolean limited() {
        return false;
    }

    @Override
    public Optional<String> unlimited() {
        return Optional.of(why);
    }

    @Override
    public void create(String path) throws IOException {
        Files.createDirectories(root.resolve(path));
    }

    @Override
    public void limit(String path, Limits limits) {}

    @Override
    public void begun(String path, long pid) throws IOException {
        Path kept = Files.createDirectories(root.resolve(path)).resolve(MEMBERS);
        Mounts.unmount(kept);
        if (Files.notExists(kept)) {
            Files.createFile(kept);
        }
        Mounts.bind(Path.of("/proc", Long.toString(pid), "ns/cgroup"), kept);
        List<String> made = made(
                        Files.readAllLines(Path.of("/proc", Long.toString(pid), "cgroup")),
                        Files.readAllLines(Path.of("/proc/self/cgroup")),
                        Mounts.table())
                .stream()
                .map(Path::toString)
                .toList();
        if (!made.isEmpty()) {
            Files.write(root.resolve(path).resolve(MADE), made);
        }
    }

    /** The control groups a process is in and this one is not, which a runtime must have made. */
    static List<Path> made(List<String> theirs, List<String> ours, List<Mounts.Entry> mounts) {
        List<Path> made = new ArrayList<>();
        for (String line : theirs) {
            String[] fields = line.split(":", 3);
            if (ours.contains(line) || fields.length < 3 || fields[2].equals("/") || fields[2].contains("/..")) {
                continue;
            }
            for (Mounts.Entry entry : mounts) {
                boolean its = fields[1].isEmpty()
                        ? entry.type().equals("cgroup2")
                        : entry.type().equals("cgroup")
                                && List.of(entry.superOptions().split(",", -1))
                                        .containsAll(List.of(fields[1].split(",", -1)));
                if (its) {
                    made.add(entry.target().resolve(fields[2].substring(1)));
                }
            }
        }
        return made;
    }

    /** Whether they are gone, or never were ours to take away. */
    private static boolean removeMade(Path directory) throws IOException {
        boolean gone = true;
        for (Path child : ControlGroups.children(directory)) {
            gone &= removeMade(child);
        }
        Path noted = directory.resolve(MADE);
        if (Files.exists(noted)) {
            for (String line : Files.readAllLines(noted)) {
                Path made = Path.of(line);
                gone &= !Files.isWritable(made.resolveSibling(".")) || ControlGroups.removeTree(made);
            }
        }
        return gone;
    }

    @Override
    public Usage usage(String path) {
        return ProcessTable.usage(processes(path));
    }

    @Override
    public long outOfMemoryKills(String path) {
        return 0;
    }

    @Override
    public Path membership(String path) {
        return root.resolve(path);
    }

    @Override
    public @Nullable String makeExecution(String path) {
        return null;
    }

    @Override
    public List<Path> directories(String path) {
        return List.of(root.resolve(path));
    }

    @Override
    public void mostProcesses(String path, String count) {}

    @Override
    public boolean contains(String path, long pid) {
        return pid > 1 && namespaces(path).contains(namespace(pid));
    }

    @Override
    public List<Long> processes(String path) {
        Set<String> namespaces = namespaces(path);
        if (namespaces.isEmpty()) {
            return List.of();
        }
        List<Long> found = new ArrayList<>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (namespaces.contains(namespace(pid))) {
                    found.add(pid);
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return found;
        }
        found.sort(null);
        return found;
    }

    /** The namespaces of a group and of those in it; without any, nothing has been begun there. */
    private Set<String> namespaces(String path) {
        Set<String> found = new HashSet<>();
        Path directory = root.resolve(path);
        if (Files.isDirectory(directory)) {
            collect(directory, found);
        }
        return found;
    }

    private static void collect(Path directory, Set<String> found) {
        try {
            Path kept = directory.resolve(MEMBERS);
            // A file in which no namespace is kept has another device than one that has.
            if (Files.exists(kept)
                    && !Files.getAttribute(kept, "unix:dev").equals(Files.getAttribute(directory, "unix:dev"))) {
                found.add("cgroup:[" + Files.getAttribute(kept, "unix:ino") + "]");
            }
            for (Path child : ControlGroups.children(directory)) {
                collect(child, found);
            }
        } catch (IOException e) {
            // A group that is gone has no processes.
            return;
        }
    }

    private static String namespace(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns/cgroup"))
                    .toString();
        } catch (IOException e) {
            return ""; // gone, or not ours to look at
        }
    }

    @Override
    public boolean remove(String path) throws IOException {
        Path directory = root.resolve(path);
        if (Files.notExists(directory)) {
            return true;
        }
        if (!processes(path).isEmpty() || !removeMade(directory)) {
            return false;
        }
        Roots.delete(directory);
        return true;
    }
}
