package lavaflow.sandbox;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.Child;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Signals;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes namespaces of users and mounts for an ordinary user, with a process that keeps them, and tries whether they are of use. */
final class NamespaceMaking {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceMaking.class);
    private static final List<String> ENVIRONMENT = List.of(Bundle.USUAL_PATH, "LC_ALL=C");

    /** What containers need, tried where they will be: a file system in memory, an overlay, the files of processes. */
    private static final String TRIAL = """
            set -e
            mkdir -p "$1/l" "$1/t"
            mount -t tmpfs lavaflow "$1/t" && umount "$1/t"
            mkdir -p "$1/u" "$1/w" && mount -t overlay -o "userxattr,lowerdir=$1/l,upperdir=$1/u,workdir=$1/w" overlay "$1/t"
            umount "$1/t"
            unshare --pid --fork --mount-proc true
            """;

    private final Path pipe;
    private final Path node;
    private final boolean network;

    /**
     * @param pipe what the process that keeps the namespaces waits for
     * @param node a directory of the file system that containers will write to
     * @param network whether to make a network, too
     */
    NamespaceMaking(Path pipe, Path node, boolean network) {
        this.pipe = pipe;
        this.node = node;
        this.network = network;
    }

    /** Whether a process is in another network than this one. */
    static boolean hasOwnNetwork(long pid) {
        return isOther(pid, "net");
    }

    /** Whether a process is in another namespace of a kind than this one. */
    static boolean isOther(long pid, String kind) {
        try {
            Path theirs = Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns", kind));
            return !theirs.equals(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)));
        } catch (IOException e) {
            return false;
        }
    }

    /** How a command is run in the namespaces of a process. */
    static List<String> inside(long pid) {
        List<String> command = new ArrayList<>(List.of(
                Programs.find("nsenter").orElseThrow().toString(),
                "--user=/proc/" + pid + "/ns/user",
                "--mount=/proc/" + pid + "/ns/mnt"));
        if (hasOwnNetwork(pid)) {
            command.add("--net=/proc/" + pid + "/ns/net");
        }
        command.addAll(List.of("--preserve-credentials", "--"));
        return command;
    }

    /** The process that keeps them. */
    long make() throws IOException, SandboxException {
        List<String> command =
                new ArrayList<>(List.of(Programs.find("unshare").orElseThrow().toString(), "--user", "--mount"));
        if (network) {
            command.add("--net");
        }
        command.addAll(List.of(
                "--propagation",
                "slave",
                "--",
                "/bin/sh",
                "-c",
                "echo ready; exec cat \"$0\" >/dev/null 2>&1",
                pipe.toString()));
        OpenFile[] out = OpenFile.pipe();
        Child child;
        try (OpenFile write = out[1]) {
            child = Child.start(command, ENVIRONMENT, Arrays.asList(null, write, write));
        }
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(out[0].intoInput(), StandardCharsets.UTF_8))) {
            String said = reader.readLine();
            if (!"ready".equals(said)) {
                throw refused(said == null ? "" : said);
            }
            map(child.pid());
            attempt(child.pid());
            if (network) {
                connect(child.pid());
            }
            return child.pid();
        } catch (IOException | SandboxException | RuntimeException e) {
            Signals.send(child.pid(), Signals.KILL);
            child.await();
            throw e;
        }
    }

    private void connect(long pid) throws IOException, SandboxException {
        WayOut way = new WayOut(node);
        way.open(pid);
        List<String> command = new ArrayList<>(inside(pid));
        command.addAll(way.naming());
        String problem = run(command);
        if (!problem.isEmpty()) {
            LOG.warn("programs of the node may not find names outside the cluster: {}", problem);
        }
    }

    private static SandboxException refused(String said) {
        return new SandboxException(
                SandboxException.Cause.OTHER,
                "This machine does not let ordinary users make namespaces"
                        + advice().map(advice -> ": " + advice).orElse(said.isEmpty() ? "." : " (" + said + ")."));
    }

    /** What root of the machine can do about it, by the settings that are known to forbid it. */
    private static Optional<String> advice() {
        if (reads("/proc/sys/kernel/unprivileged_userns_clone", "0")) {
            return Optional.of("as root run sysctl -w kernel.unprivileged_userns_clone=1");
        }
        if (reads("/proc/sys/user/max_user_namespaces", "0")) {
            return Optional.of("as root run sysctl -w user.max_user_namespaces=10000");
        }
        if (reads("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")) {
            return Optional.of("as root run sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
        }
        return Optional.empty();
    }

    private static boolean reads(String file, String value) {
        try {
            return Files.readString(Path.of(file)).strip().equals(value);
        } catch (IOException e) {
            return false;
        }
    }

    /** The user becomes root; the ranges that /etc/subuid and /etc/subgid give become all others. */
    private static void map(long pid) throws IOException, SandboxException {
        Path process = Path.of("/proc", Long.toString(pid));
        long user = number("unix:uid");
        long group = number("unix:gid");
        SubordinateIds ids = SubordinateIds.ofMachine(user);
        Optional<Path> mapUsers = Programs.find("newuidmap");
        Optional<Path> mapGroups = Programs.find("newgidmap");
        if (ids.complete() && mapUsers.isPresent() && mapGroups.isPresent()) {
            String problem = run(ids.arguments(mapUsers.get(), pid, user, ids.users()));
            if (problem.isEmpty()) {
                problem = run(ids.arguments(mapGroups.get(), pid, group, ids.groups()));
            }
            if (problem.isEmpty()) {
                return;
            }
            LOG.warn("containers have no users beside root: {}", problem);
        }
        try {
            if (Files.readString(process.resolve("uid_map")).isBlank()) {
                Files.writeString(process.resolve("uid_map"), "0 " + user + " 1");
            }
            Files.writeString(process.resolve("setgroups"), "deny");
            Files.writeString(process.resolve("gid_map"), "0 " + group + " 1");
        } catch (IOException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    private static long number(String attribute) throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), attribute) instanceof Integer number
                ? Integer.toUnsignedLong(number)
                : 0;
    }

    private void attempt(long pid) throws IOException, SandboxException {
        Path place = Files.createTempDirectory(node, "trial");
        List<String> command = new ArrayList<>(inside(pid));
        command.addAll(List.of("/bin/sh", "-c", TRIAL, "lava", place.toString()));
        String problem = run(command);
        String left = run(List.of("/bin/rm", "-rf", "--one-file-system", place.toString()));
        LOG.debug("namespaces tried: {} {}", problem, left);
        if (!problem.isEmpty()) {
            throw refused(problem.lines().findFirst().orElse(""));
        }
    }

    /** Runs a command to its end; what it said if it failed. */
    private static String run(List<String> command) throws IOException {
        OpenFile[] out = OpenFile.pipe();
        Child child;
        try (OpenFile write = out[1]) {
            child = Child.start(command, ENVIRONMENT, Arrays.asList(null, write, write));
        }
        try (InputStream in = out[0].intoInput()) {
            String said = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            int code = child.await();
            return code == 0 ? "" : said.isEmpty() ? command.getFirst() + " ended with code " + code : said;
        }
    }
}
