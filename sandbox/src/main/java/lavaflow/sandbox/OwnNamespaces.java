package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.linux.Child;
import lavaflow.linux.FileCalls;
import lavaflow.linux.Program;
import lavaflow.linux.Signals;
import lavaflow.linux.UserNamespace;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Namespaces of users and of mounts in which an ordinary user is root, and can make containers. A process with threads cannot
 * move into them, so the whole program is started once more inside, in the same process.
 *
 * <p>A small process keeps them, so that containers outlive a kill of the node and the next one finds their mounts again. It
 * waits for somebody to write to a pipe in the node's directory, which nobody does; that names it, too.
 */
public final class OwnNamespaces {
    private static final Logger LOG = LoggerFactory.getLogger(OwnNamespaces.class);

    /** Tells the program inside whether the namespaces were made for it. */
    private static final String MADE = "LAVA_NAMESPACES_MADE";

    private static volatile @org.jspecify.annotations.Nullable String obstacle;

    private final Path node;

    private OwnNamespaces(Path node) {
        this.node = node.toAbsolutePath().normalize();
    }

    /**
     * Starts this program again inside the namespaces of a node, made now or found again; does not return then. Returns where
     * this process is root already, and where such namespaces cannot be had, which {@link #obstacle} tells.
     *
     * @param node the directory of all that the node keeps
     */
    public static void enter(Path node) throws IOException {
        if (UserNamespace.isRoot()) {
            return;
        }
        String problem = missing(node).orElse(null);
        OwnNamespaces namespaces = new OwnNamespaces(node);
        if (problem == null) {
            Optional<Long> member = namespaces.member();
            try {
                long pid = member.isPresent() ? member.get() : namespaces.make();
                namespaces.become(pid, member.isEmpty());
            } catch (SandboxException e) {
                problem = e.getMessage();
            }
        }
        obstacle = problem;
    }

    /** Why this process, which is not root, could not become root of its own namespaces. */
    static Optional<String> obstacle() {
        return Optional.ofNullable(obstacle);
    }

    /** A short stay in the namespaces of a node, for whoever handles files of the users in them. */
    public static final class Visit implements AutoCloseable {
        private final Path node;

        private Visit(Path node) {
            this.node = node;
        }

        /** Namespaces that were made for this visit end with it. */
        @Override
        public void close() {
            if ("true".equals(System.getenv(MADE))) {
                try {
                    leave(node);
                } catch (IOException e) {
                    LOG.warn("namespaces of {} are left: {}", node, e.getMessage());
                }
            }
        }
    }

    /** As {@link #enter}, for a while. */
    public static Visit visit(Path node) throws IOException {
        enter(node);
        return new Visit(node);
    }

    /** Lets the namespaces end with this process; for when nothing runs in them any more. */
    public static void leave(Path node) throws IOException {
        OwnNamespaces namespaces = new OwnNamespaces(node);
        if (UserNamespace.own().isInitial() || Files.notExists(namespaces.pipe())) {
            return;
        }
        long keeper = namespaces.keeper();
        if (keeper > 0) {
            Signals.send(keeper, Signals.KILL);
        }
        Files.deleteIfExists(namespaces.record());
        Files.deleteIfExists(namespaces.pipe());
    }

    /** Sees to it that somebody keeps the namespaces this process is in; for after their keeper was killed. */
    public static void keep(Path node) throws IOException {
        OwnNamespaces namespaces = new OwnNamespaces(node);
        if (!UserNamespace.own().isInitial() && namespaces.keeper() == 0) {
            namespaces.makePipe();
            Child child = Child.start(
                    List.of("/bin/cat", namespaces.pipe().toString()),
                    List.of(Bundle.USUAL_PATH),
                    Arrays.asList(null, null, null));
            Places.write(namespaces.record(), Long.toString(child.pid()));
        }
    }

    private static Optional<String> missing(Path node) {
        if (!Child.supported()) {
            return Optional.of("The C library of this machine is too old: glibc 2.34 or later is needed.");
        }
        if (OciRuntime.find(null).isEmpty()) {
            return Optional.of("The program runc is not installed.");
        }
        for (String program : List.of("conmon", "unshare", "nsenter")) {
            if (Programs.find(program).isEmpty()) {
                return Optional.of("The program " + program + " is not installed.");
            }
        }
        if (Places.isTooDeep(node.resolve("runtime"))) {
            return Optional.of(
                    "The path of the data directory is too long for the sockets of containers; choose a shorter"
                            + " one with --data-dir.");
        }
        return Optional.empty();
    }

    private Path pipe() {
        return node.resolve("namespaces");
    }

    private Path record() {
        return node.resolve("namespaces.pid");
    }

    /** The process that keeps them, 0 if there is none. */
    private long keeper() {
        long pid = ControlGroups.readLong(record());
        return ProcessTable.mentions(pid, pipe().toString()) ? pid : 0;
    }

    /** Any process that is in them: who keeps them, or the supervisor of a container where that was killed. */
    private Optional<Long> member() {
        long keeper = keeper();
        if (keeper > 0) {
            return Optional.of(keeper);
        }
        Path containers = node.resolve("runtime/containers");
        if (!Files.isDirectory(containers)) {
            return Optional.empty();
        }
        try (var directories = Files.newDirectoryStream(containers)) {
            for (Path directory : directories) {
                long pid = ControlGroups.readLong(directory.resolve("conmon.pid"));
                if (ProcessTable.mentions(pid, directory.toString()) && isInside(pid)) {
                    return Optional.of(pid);
                }
            }
        } catch (IOException e) {
            LOG.debug("no containers in {}", containers, e);
        }
        return Optional.empty();
    }

    private static boolean isInside(long pid) {
        try {
            Path theirs = Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns/user"));
            return !theirs.equals(Files.readSymbolicLink(Path.of("/proc/self/ns/user")));
        } catch (IOException e) {
            return false;
        }
    }

    private void makePipe() throws IOException {
        Files.createDirectories(node);
        Files.deleteIfExists(pipe());
        FileCalls.makeNode(pipe().toString(), FileCalls.PIPE | 0600, 0, 0);
    }

    private long make() throws IOException, SandboxException {
        makePipe();
        NamespaceMaking making = new NamespaceMaking(pipe(), node);
        long pid = making.make();
        Places.write(record(), Long.toString(pid));
        return pid;
    }

    private void become(long member, boolean made) throws IOException {
        List<String> command = new ArrayList<>(NamespaceMaking.inside(member));
        command.addAll(List.of(
                "/bin/sh",
                "-c",
                "cd \"$1\" 2>/dev/null; shift; exec \"$@\"",
                "lava",
                Path.of("").toAbsolutePath().toString(),
                Files.readSymbolicLink(Path.of("/proc/self/exe")).toString()));
        String own = Files.readString(Path.of("/proc/self/cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1);
        String[] arguments = own.substring(0, Math.max(0, own.length() - 1)).split("\0", -1);
        for (String argument : arguments) {
            command.add(new String(
                    argument.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1),
                    java.nio.charset.StandardCharsets.UTF_8));
        }
        command.remove(command.size() - arguments.length); // its own name for itself
        List<String> environment = new ArrayList<>();
        for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
            if (!variable.getKey().equals(MADE)) {
                environment.add(variable.getKey() + "=" + variable.getValue());
            }
        }
        environment.add(MADE + "=" + made);
        Program.become(command, environment);
    }
}
