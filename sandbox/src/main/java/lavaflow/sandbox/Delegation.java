package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.Mounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the one hierarchy that an ordinary user was given to do in it as he likes: the control group this process is in,
 * where that is his. It is chosen once and noted, since containers outlive this process and the next one may be elsewhere.
 *
 * <p>A group whose controllers are passed on must not have processes of its own, so those that are in it, this one among them,
 * move to a group in it, and back when nothing of ours is left.
 */
final class Delegation {
    private static final Logger LOG = LoggerFactory.getLogger(Delegation.class);

    /** Where the processes go that were in the delegated group before. */
    static final String LEAF = "lava-own";

    private static final Path HIERARCHY = Path.of("/sys/fs/cgroup");
    private static final String PROCESSES = "cgroup.procs";
    private static final int ROUNDS = 100;

    private final Path mount;
    private final Path directory;

    private Delegation(Path mount, Path directory) {
        this.mount = mount;
        this.directory = directory;
    }

    /**
     * What an ordinary user has.
     *
     * @param own what {@code /proc/self/cgroup} says
     * @param others where groups are noted that are no control groups; what was chosen is noted beside it
     */
    static ControlGroups detect(List<Mounts.Entry> mounts, List<String> own, Path others) throws IOException {
        return detect(mounts, own, others, HIERARCHY);
    }

    static ControlGroups detect(List<Mounts.Entry> mounts, List<String> own, Path others, Path hierarchy)
            throws IOException {
        Path note = others.resolveSibling("control-group");
        if (Files.exists(note)) {
            Path noted = Path.of(Files.readString(note).strip());
            if (hasOurs(noted)) {
                return new ControlGroupsV2(hierarchy, noted);
            }
        }
        if (Files.isDirectory(others) && !ControlGroups.children(others).isEmpty()) {
            return new ProcessGroups(others, "pods still run that were started without");
        }
        Optional<Mounts.Entry> one = mounts.stream()
                .filter(entry ->
                        entry.type().equals("cgroup2") && entry.target().equals(hierarchy))
                .findFirst();
        if (one.isEmpty() || mounts.stream().anyMatch(entry -> entry.type().equals("cgroup"))) {
            return new ProcessGroups(others, "control groups of version 1 are for root only");
        }
        Path directory = group(one.get(), own).orElse(hierarchy);
        ControlGroupsV2 found = new ControlGroupsV2(hierarchy, directory);
        if (!isOurs(directory)) {
            return new ProcessGroups(
                    others,
                    "the control group " + told(hierarchy, directory) + " is not yours: "
                            + "systemd-run --user --scope -p Delegate=yes lava up starts it in one that is");
        }
        if (!found.limited()) {
            return new ProcessGroups(others, ControlGroupsV2.notDelegated(found.missing()));
        }
        if (Files.isDirectory(note.resolveSibling("."))) {
            Places.write(note, directory.toString());
        }
        return found;
    }

    /** Whether groups of ours are in a group, beside the one for processes that were there before. */
    private static boolean hasOurs(Path directory) throws IOException {
        return Files.isDirectory(directory)
                && ControlGroups.children(directory).stream()
                        .map(child -> child.getFileName().toString())
                        .anyMatch(name -> name.startsWith("lava-") && !name.equals(LEAF));
    }

    /** The directory of the group this process is in, or was in before it moved. */
    private static Optional<Path> group(Mounts.Entry mount, List<String> own) {
        for (String line : own) {
            if (line.startsWith("0::/")) {
                Path inHierarchy = Path.of(line.substring("0::".length()));
                Path inMount = inHierarchy.startsWith(mount.root())
                        ? mount.root().relativize(inHierarchy)
                        : Path.of("/").relativize(inHierarchy);
                Path directory = mount.target().resolve(inMount).normalize();
                return Optional.of(
                        directory.endsWith(LEAF) ? directory.resolveSibling(".").normalize() : directory);
            }
        }
        return Optional.empty();
    }

    private static boolean isOurs(Path directory) {
        return Files.isWritable(directory)
                && Files.isWritable(directory.resolve(PROCESSES))
                && Files.isWritable(directory.resolve("cgroup.subtree_control"));
    }

    /** A group's name as the kernel and runtimes have it. */
    static String told(Path mount, Path directory) {
        return directory.equals(mount) ? "/" : "/" + mount.relativize(directory);
    }

    /** Makes room for controllers to be passed on by a group that is not the root of the whole hierarchy. */
    static void settle(Path mount, Path directory) throws IOException {
        if (Files.exists(directory.resolve("cgroup.type"))) {
            new Delegation(mount, directory).moveIn();
        }
    }

    private void moveIn() throws IOException {
        Path processes = directory.resolve(PROCESSES);
        for (int round = 0; round < ROUNDS; round++) {
            List<String> pids = Files.readAllLines(processes);
            if (pids.isEmpty()) {
                return;
            }
            move(pids, Files.createDirectories(directory.resolve(LEAF)));
        }
        throw new IOException("processes keep coming into the control group " + told(mount, directory));
    }

    /**
     * Brings this process to where others of ours were before, if it was started elsewhere and may: only from there it can surely
     * put containers into their groups, and whoever made the group does not find it empty and take it away.
     */
    static void join(Path directory) {
        Path processes = directory.resolve(LEAF).resolve(PROCESSES);
        String own = Long.toString(ProcessHandle.current().pid());
        try {
            if (Files.exists(processes) && !Files.readAllLines(processes).contains(own)) {
                ControlGroups.write(processes, own);
            }
        } catch (IOException e) {
            LOG.debug("stays where it was started: {}", e.getMessage());
        }
    }

    /** Leaves a group as it was found, unless somebody else has groups in it. */
    static void leave(Path mount, Path directory) throws IOException {
        Path leaf = directory.resolve(LEAF);
        if (!Files.isDirectory(leaf) || ControlGroups.children(directory).size() > 1) {
            return;
        }
        for (String controller : ControlGroupsV2.words(directory.resolve("cgroup.subtree_control"))) {
            ControlGroups.write(directory.resolve("cgroup.subtree_control"), "-" + controller);
        }
        List<String> pids = new ArrayList<>(Files.readAllLines(leaf.resolve(PROCESSES)));
        for (int round = 0; round < ROUNDS && !pids.isEmpty(); round++) {
            move(pids, directory);
            pids = Files.readAllLines(leaf.resolve(PROCESSES));
        }
        boolean gone = ControlGroups.removeTree(leaf);
        LOG.debug("{} is as it was: {}", told(mount, directory), gone);
    }

    private static void move(List<String> pids, Path target) throws IOException {
        for (String pid : pids) {
            try {
                ControlGroups.write(target.resolve(PROCESSES), pid);
            } catch (IOException e) {
                // It may have ended meanwhile.
                if (Files.exists(Path.of("/proc", pid)) && !ProcessTable.isZombie(Long.parseLong(pid))) {
                    throw e;
                }
            }
        }
    }
}
