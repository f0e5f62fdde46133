package lavaflow.sandbox;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.linux.Child;
import lavaflow.linux.FileCalls;
import lavaflow.linux.HandedSocket;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Program;
import lavaflow.linux.Signals;
import lavaflow.linux.UserNamespace;

import org.jspecify.annotations.Nullable;
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

    /** Tells it the number of a socket that listens on the machine, and its port. */
    private static final String SOCKET = "LAVA_SOCKET";

    private static volatile @Nullable String obstacle;

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
        enter(node, null);
    }

    /**
     * As {@link #enter(Path)}, with a network for pods where the machine lets this user have one. The program inside cannot
     * listen on the machine then; it is handed a socket that does, which {@link #outside} gives.
     *
     * @param listen where that should be
     * @throws java.net.BindException where somebody else listens
     */
    public static void enter(Path node, @Nullable InetSocketAddress listen) throws IOException {
        if (UserNamespace.isRoot()) {
            return;
        }
        String problem = missing(node).orElse(null);
        OwnNamespaces namespaces = new OwnNamespaces(node);
        if (problem == null) {
            Optional<Long> member = namespaces.member();
            try {
                long pid = member.isPresent() ? namespaces.again(member.get()) : namespaces.make(listen != null);
                try {
                    namespaces.become(pid, member.isEmpty(), listen);
                } catch (IOException e) {
                    if (member.isEmpty()) {
                        namespaces.end();
                    }
                    throw e;
                }
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

    /** Why pods of the namespaces this process is in have no network of their own; empty where they could have. */
    public static Optional<String> networkObstacle() {
        return WayOut.missing();
    }

    /** Where the program can be told something that leads packets out of the network of a node's namespaces. */
    public static Path wayOut(Path node) {
        return new WayOut(node.toAbsolutePath().normalize()).socket();
    }

    /** A socket on the machine, and the port it listens at. */
    public record Outside(ServerSocketChannel socket, int port) {}

    /** What this process was handed when it was started in a network of its own. */
    public static Optional<Outside> outside() throws IOException {
        String given = System.getenv(SOCKET);
        if (given == null) {
            return Optional.empty();
        }
        int colon = given.indexOf(':');
        return Optional.of(new Outside(
                HandedSocket.adopt(Integer.parseInt(given.substring(0, colon))),
                Integer.parseInt(given.substring(colon + 1))));
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
        namespaces.end();
    }

    private void end() throws IOException {
        long keeper = keeper();
        if (keeper > 0) {
            Signals.send(keeper, Signals.KILL);
        }
        new WayOut(node).close();
        Files.deleteIfExists(record());
        Files.deleteIfExists(pipe());
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
                if (ProcessTable.mentions(pid, directory.toString()) && NamespaceMaking.isOther(pid, "user")) {
                    return Optional.of(pid);
                }
            }
        } catch (IOException e) {
            LOG.debug("no containers in {}", containers, e);
        }
        return Optional.empty();
    }

    private void makePipe() throws IOException {
        Files.createDirectories(node);
        Files.deleteIfExists(pipe());
        FileCalls.makeNode(pipe().toString(), FileCalls.PIPE | 0600, 0, 0);
    }

    private long make(boolean networkWanted) throws IOException, SandboxException {
        makePipe();
        long pid = 0;
        if (networkWanted && WayOut.missing().isEmpty()) {
            try {
                pid = new NamespaceMaking(pipe(), node, true).make();
            } catch (SandboxException e) {
                LOG.warn("pods cannot have a network of their own: {}", e.getMessage());
                new WayOut(node).close();
            }
        }
        if (pid == 0) {
            pid = new NamespaceMaking(pipe(), node, false).make();
        }
        Places.write(record(), Long.toString(pid));
        return pid;
    }

    /** Those that were found again; their way out may have been killed. */
    private long again(long member) throws IOException, SandboxException {
        if (NamespaceMaking.hasOwnNetwork(member)) {
            new WayOut(node).open(member);
        }
        return member;
    }

    private void become(long member, boolean made, @Nullable InetSocketAddress listen) throws IOException {
        OpenFile socket = listen != null && NamespaceMaking.hasOwnNetwork(member) ? HandedSocket.listen(listen) : null;
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
            if (!variable.getKey().equals(MADE) && !variable.getKey().equals(SOCKET)) {
                environment.add(variable.getKey() + "=" + variable.getValue());
            }
        }
        environment.add(MADE + "=" + made);
        if (socket != null) {
            environment.add(SOCKET + "=" + socket.number() + ":" + HandedSocket.port(socket));
        }
        Program.become(command, environment, socket);
    }
}
