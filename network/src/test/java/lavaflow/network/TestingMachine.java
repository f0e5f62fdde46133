package lavaflow.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.linux.NetworkNamespace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A machine of its own for a test: a network namespace whose tables and switches are nobody else's, with a way to an
 * outside world that is another one.
 */
final class TestingMachine implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    /** For what must not be answered. */
    private static final int SHORT_PATIENCE_MILLIS = 3_000;
    /** For what must: threads may have to wait for a processor, and a packet that met an interface too early comes again. */
    private static final int PATIENCE_MILLIS = 60_000;

    static final String ADDRESS = "198.51.100.1";
    static final String OUTSIDE = "198.51.100.2";

    private final Path directory;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final String id;

    private TestingMachine(Path directory, String id) {
        this.directory = directory;
        this.id = id;
    }

    /** Skips the test where this user cannot have namespaces or rules. */
    static TestingMachine boot() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")), "needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/nft")), "needs nft");
        assumeTrue(Files.isExecutable(Path.of("/sbin/ip")), "needs ip");
        Path directory = Files.createTempDirectory("lava-network");
        String id = String.format("%06x", (ProcessHandle.current().pid() * 64 + COUNT.incrementAndGet()) & 0xffffff);
        TestingMachine machine = new TestingMachine(directory, id);
        try {
            NetworkNamespace.create(machine.outside(), _ -> command("ip", "link", "set", "lo", "up"));
            NetworkNamespace.create(machine.inside(), _ -> {
                // As a machine starts, whatever this one has come to.
                Files.writeString(Path.of("/proc/sys/net/ipv4/ip_forward"), "0");
                command("ip", "link", "set", "lo", "up");
                command("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "out0");
                command("ip", "addr", "add", ADDRESS + "/24", "dev", "eth0");
                command("ip", "link", "set", "eth0", "up");
            });
            machine.in(() -> {
                // By a file, since the other end belongs to a namespace without a process.
                Path named = Path.of("/run/netns", "lava-test-" + id);
                Files.createDirectories(named.getParent());
                Files.deleteIfExists(named);
                Files.createSymbolicLink(named, machine.outside());
                command("ip", "link", "set", "out0", "netns", "lava-test-" + id);
                Files.delete(named);
                return true;
            });
            NetworkNamespace.enter(machine.outside(), () -> {
                command("ip", "addr", "add", OUTSIDE + "/24", "dev", "out0");
                command("ip", "link", "set", "out0", "up");
                return true;
            });
        } catch (IOException | RuntimeException e) {
            machine.close();
            throw e;
        }
        return machine;
    }

    static String command(String... words) throws IOException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", words) + ": " + output);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return output;
    }

    Path inside() {
        return directory.resolve("machine");
    }

    Path outside() {
        return directory.resolve("outside");
    }

    /** Does something as a program of this machine would. */
    <T> T in(NetworkNamespace.Work<T> work) throws IOException {
        return NetworkNamespace.enter(inside(), work);
    }

    NetworkSettings settings() {
        return settings(id);
    }

    NetworkSettings settings(String cluster) {
        Path shared = directory.resolve("run");
        return new NetworkSettings(cluster, shared, shared.resolve(cluster).resolve("network"), "", "10.96.0.0/16");
    }

    BridgeNetwork network() throws IOException {
        return in(() -> BridgeNetwork.open(settings()));
    }

    /** Says its name, and who it sees, to everybody who connects. */
    void serve(Path namespace, String name, String address, int port) throws IOException {
        ServerSocket socket = NetworkNamespace.enter(namespace, () -> {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
            return server;
        });
        opened.add(socket);
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    greet(socket.accept(), name);
                }
            } catch (IOException e) {
                // Closed with the machine.
            }
        });
    }

    private static void greet(Socket accepted, String name) {
        try (Socket client = accepted) {
            String peer = client.getInetAddress().getHostAddress();
            client.getOutputStream().write((name + " " + peer + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // This one does not listen; others will.
        }
    }

    /** Answers every packet with its name. */
    void serveDatagrams(Path namespace, String name, int port) throws IOException {
        DatagramSocket socket =
                NetworkNamespace.enter(namespace, () -> new DatagramSocket(port, InetAddress.ofLiteral("0.0.0.0")));
        opened.add(socket);
        Thread.ofVirtual().start(() -> {
            byte[] answer = name.getBytes(StandardCharsets.UTF_8);
            try {
                while (true) {
                    DatagramPacket packet = new DatagramPacket(new byte[512], 512);
                    socket.receive(packet);
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                // Closed with the machine.
            }
        });
    }

    /** What a server says to a client there, or the first words of why it does not. */
    static String call(Path namespace, String address, int port) throws IOException {
        return call(namespace, address, port, PATIENCE_MILLIS);
    }

    /** The same where nobody should answer, for which it does not wait long. */
    static String callInVain(Path namespace, String address, int port) throws IOException {
        return call(namespace, address, port, SHORT_PATIENCE_MILLIS);
    }

    private static String call(Path namespace, String address, int port, int patienceMillis) throws IOException {
        return NetworkNamespace.enter(namespace, () -> {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), patienceMillis);
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                return String.valueOf(reader.readLine());
            } catch (IOException e) {
                return String.valueOf(e.getMessage());
            }
        });
    }

    /** A client that always speaks from the same port. */
    DatagramSocket datagrams(Path namespace) throws IOException {
        DatagramSocket socket = NetworkNamespace.enter(namespace, () -> {
            DatagramSocket made = new DatagramSocket(0, InetAddress.ofLiteral("0.0.0.0"));
            made.setSoTimeout(PATIENCE_MILLIS);
            return made;
        });
        opened.add(socket);
        return socket;
    }

    static String ask(DatagramSocket socket, String address, int port) {
        try {
            byte[] question = {1};
            InetSocketAddress target = new InetSocketAddress(InetAddress.ofLiteral(address), port);
            socket.connect(target);
            socket.send(new DatagramPacket(question, 1, target));
            DatagramPacket answer = new DatagramPacket(new byte[512], 512);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Is closed with the machine. */
    <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    @Override
    public void close() throws IOException {
        for (AutoCloseable each : opened.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
        NetworkNamespace.delete(inside());
        NetworkNamespace.delete(outside());
        delete(directory);
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (Files.isDirectory(file)) {
                    delete(file);
                } else {
                    NetworkNamespace.delete(file);
                }
            }
        }
        Files.delete(directory);
    }
}
