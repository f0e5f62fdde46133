package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.Child;
import lavaflow.linux.Mounts;
import lavaflow.linux.OpenFile;
import lavaflow.linux.Signals;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way out of a network that an ordinary user made: slirp4netns, a program that carries its packets as if they were its own.
 * What listens on the machine's loopback stays out of reach. It lives as long as the namespaces, whoever started it.
 */
final class WayOut {
    private static final Logger LOG = LoggerFactory.getLogger(WayOut.class);
    private static final String PROGRAM = "slirp4netns";
    private static final String INTERFACE = "tap0";
    /** Where it answers questions about names in place of whoever the machine asks. */
    private static final String NAME_SERVER = "10.0.2.3";

    private static final String NAMES = "lavaflow-resolv.conf";
    private static final Path TUNNEL = Path.of("/dev/net/tun");
    private static final Path RESOLVERS = Path.of("/etc/resolv.conf");
    private static final long PATIENCE_MILLIS = 20_000;

    private final Path node;

    WayOut(Path node) {
        this.node = node;
    }

    /** What this machine or this user lacks for one. */
    static Optional<String> missing() {
        if (Programs.find(PROGRAM).isEmpty()) {
            return Optional.of("The program " + PROGRAM + " is not installed (sudo apt-get install " + PROGRAM + ").");
        }
        if (!Files.isReadable(TUNNEL) || !Files.isWritable(TUNNEL)) {
            return Optional.of("This user may not use " + TUNNEL + " (sudo chmod 666 " + TUNNEL + ").");
        }
        return Optional.empty();
    }

    private Path record() {
        return node.resolve("way-out.pid");
    }

    /** Where it can be asked to lead ports of the machine inside. */
    Path socket() {
        return node.resolve("way-out.socket");
    }

    /** The process that carries packets, 0 if there is none. */
    private long carrier() {
        long pid = ControlGroups.readLong(record());
        return ProcessTable.mentions(pid, socket().toString()) ? pid : 0;
    }

    /** Sees to it that the network of a process has a way out. */
    void open(long member) throws IOException, SandboxException {
        if (carrier() > 0) {
            return;
        }
        Files.deleteIfExists(socket());
        OpenFile[] ready = OpenFile.pipe();
        Child child;
        Path log = node.resolve("way-out.log");
        Files.write(log, new byte[0]);
        try (OpenFile write = ready[1];
                OpenFile said = OpenFile.write(log)) {
            child = Child.start(
                    List.of(
                            Programs.find(PROGRAM).orElseThrow().toString(),
                            "--configure",
                            "--mtu=65520",
                            "--disable-host-loopback",
                            "--api-socket",
                            socket().toString(),
                            "--ready-fd=3",
                            Long.toString(member),
                            INTERFACE),
                    List.of(Bundle.USUAL_PATH),
                    Arrays.asList(null, said, said, write));
        }
        if (!isReady(ready[0])) {
            Signals.send(child.pid(), Signals.KILL);
            child.await();
            throw new SandboxException(
                    SandboxException.Cause.OTHER,
                    PROGRAM + " did not start: " + Files.readString(log).strip().replace('\n', ' '));
        }
        Places.write(record(), Long.toString(child.pid()));
    }

    private static boolean isReady(OpenFile pipe) throws IOException {
        if (!pipe.awaitInput(PATIENCE_MILLIS)) {
            pipe.close();
            return false;
        }
        try (InputStream in = pipe.intoInput()) {
            return in.read() == '1';
        }
    }

    /**
     * The command that lets programs inside ask for names: whom the machine asks may be a program on its loopback, which is out
     * of reach there.
     */
    List<String> naming() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("nameserver " + NAME_SERVER);
        if (Files.isReadable(RESOLVERS)) {
            Files.readAllLines(RESOLVERS).stream()
                    .filter(line -> line.startsWith("search ") || line.startsWith("options "))
                    .forEach(lines::add);
        }
        Path file = node.resolve(NAMES);
        Files.write(file, lines);
        return List.of("mount", "--bind", file.toString(), RESOLVERS.toString());
    }

    /** Whether something is mounted because of {@link #naming}, and hides nothing that anybody must not see. */
    static boolean isOfNames(Mounts.Entry mount) {
        return mount.root().endsWith(NAMES);
    }

    void close() throws IOException {
        long carrier = carrier();
        if (carrier > 0) {
            Signals.send(carrier, Signals.KILL);
            LOG.debug("the way out of {} is closed", node);
        }
        for (Path file : List.of(record(), socket(), node.resolve("way-out.log"), node.resolve(NAMES))) {
            Files.deleteIfExists(file);
        }
    }
}
