package lavaflow.network;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name server of the cluster, for pods and this machine. What the cluster knows is answered on the thread that
 * receives; who waits for others waits on a thread of its own, and only so many do.
 */
final class DnsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DnsServer.class);
    private static final int PORT = 53;
    private static final int LARGEST_PACKET = 4096;
    private static final int MOST_WAITING = 500;
    private static final int MOST_CONNECTIONS = 100;
    private static final int PATIENCE_MILLIS = 10_000;

    private final DnsResponder responder;
    private final Predicate<InetAddress> welcome;
    private final DatagramSocket packets;
    private final ServerSocket streams;
    private final Semaphore waiting = new Semaphore(MOST_WAITING);
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);

    private DnsServer(
            DnsResponder responder, Predicate<InetAddress> welcome, DatagramSocket packets, ServerSocket streams) {
        this.responder = responder;
        this.welcome = welcome;
        this.packets = packets;
        this.streams = streams;
    }

    /**
     * Listens at an address, at port 53 if nobody else has it.
     *
     * @param welcome who may ask beside this machine
     */
    static DnsServer open(InetAddress address, DnsResponder responder, Predicate<InetAddress> welcome)
            throws IOException {
        DnsServer server;
        try {
            server = bound(address, PORT, responder, welcome);
        } catch (BindException e) {
            LOG.debug("port 53 is taken: {}", e.getMessage());
            server = bound(address, 0, responder, welcome);
        }
        // A thread of its own: whatever keeps the shared ones busy, names are waited for by everybody.
        Thread.ofPlatform().daemon().name("dns-packets").start(server::receive);
        Thread.ofVirtual().name("dns-streams").start(server::accept);
        return server;
    }

    private static DnsServer bound(
            InetAddress address, int port, DnsResponder responder, Predicate<InetAddress> welcome) throws IOException {
        DatagramSocket packets = new DatagramSocket(new InetSocketAddress(address, port));
        try {
            ServerSocket streams = new ServerSocket();
            streams.setReuseAddress(true);
            streams.bind(new InetSocketAddress(address, packets.getLocalPort()));
            return new DnsServer(responder, welcome, packets, streams);
        } catch (IOException e) {
            packets.close();
            throw e;
        }
    }

    int port() {
        return packets.getLocalPort();
    }

    private boolean isWelcome(InetAddress client) {
        try {
            return welcome.test(client)
                    || client.isLoopbackAddress()
                    || NetworkInterface.getByInetAddress(client) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private void receive() {
        while (!packets.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(new byte[LARGEST_PACKET], LARGEST_PACKET);
                packets.receive(packet);
                if (isWelcome(packet.getAddress())) {
                    answer(packet);
                }
            } catch (IOException e) {
                if (!packets.isClosed()) {
                    LOG.debug("a question got lost", e);
                }
            } catch (RuntimeException e) {
                // Whatever somebody sent, everybody else wants answers, too.
                LOG.warn("a question could not be answered", e);
            }
        }
    }

    private void answer(DatagramPacket packet) throws IOException {
        ByteBuffer question = ByteBuffer.wrap(packet.getData(), 0, packet.getLength());
        DnsResponder.Reading reading = responder.read(question, false);
        if (reading.answer().isPresent()) {
            send(reading.answer().get(), packet);
        } else if (reading.query() != null && waiting.tryAcquire()) {
            DnsQuery query = reading.query();
            Thread.ofVirtual().name("dns-question").start(() -> {
                try {
                    send(responder.ask(query, question, false), packet);
                } catch (IOException | RuntimeException e) {
                    LOG.debug("a question got lost", e);
                } finally {
                    waiting.release();
                }
            });
        }
    }

    private void send(ByteBuffer answer, DatagramPacket to) throws IOException {
        packets.send(new DatagramPacket(
                answer.array(), answer.arrayOffset() + answer.position(), answer.remaining(), to.getSocketAddress()));
    }

    private void accept() {
        while (!streams.isClosed()) {
            try {
                Socket client = streams.accept();
                if (isWelcome(client.getInetAddress()) && connections.tryAcquire()) {
                    Thread.ofVirtual().name("dns-stream").start(() -> converse(client));
                } else {
                    client.close();
                }
            } catch (IOException e) {
                if (!streams.isClosed()) {
                    LOG.debug("a connection got lost", e);
                }
            }
        }
    }

    private void converse(Socket client) {
        try (client) {
            client.setSoTimeout(PATIENCE_MILLIS);
            DataInputStream in = new DataInputStream(client.getInputStream());
            while (true) {
                ByteBuffer question = ByteBuffer.wrap(in.readNBytes(in.readUnsignedShort()));
                DnsResponder.Reading reading = responder.read(question, true);
                ByteBuffer answer = reading.answer().orElse(null);
                if (answer == null && reading.query() != null) {
                    answer = responder.ask(reading.query(), question, true);
                }
                if (answer == null) {
                    return;
                }
                byte[] framed = ByteBuffer.allocate(answer.remaining() + 2)
                        .putShort((short) answer.remaining())
                        .put(answer)
                        .array();
                client.getOutputStream().write(framed);
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("a connection ended", e);
        } finally {
            connections.release();
        }
    }

    @Override
    public void close() {
        packets.close();
        try {
            streams.close();
        } catch (IOException e) {
            LOG.debug("closing", e);
        }
    }
}
