package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.ApiException;

/** Port-forwarding over the channels of a WebSocket: one connection to each port, two channels a port. */
final class PortsOverWebSocket {
    static final List<String> PROTOCOLS = List.of("v4.channel.k8s.io", "v4.base64.channel.k8s.io");

    private final PortForwarding forwarding;
    private final List<Integer> ports;
    private final boolean base64;
    private final Map<Integer, PortConnection> open = new ConcurrentHashMap<>();

    PortsOverWebSocket(PortForwarding forwarding, List<Integer> ports, boolean base64) {
        this.forwarding = forwarding;
        this.ports = ports;
        this.base64 = base64;
    }

    void hold(InputStream in, OutputStream out) throws IOException {
        WebSocket socket = new WebSocket(in, out);
        ChannelSocket channels = new ChannelSocket(socket, base64, false);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            int port = ports.get(i);
            // Which port a channel is for is its first message, the smaller byte first.
            byte[] name = {(byte) port, (byte) (port >> 8)};
            int channel = 2 * i;
            ByteQueue input = channels.input(channel);
            channels.output(channel).write(name);
            channels.output(channel + 1).write(name);
            threads.add(
                    Thread.ofVirtual().name("port-forward").unstarted(() -> forward(port, channel, input, channels)));
        }
        Thread reader = Thread.ofVirtual().name("websocket").start(() -> {
            try {
                channels.run();
            } catch (IOException e) {
                // The client is gone, or speaks something else.
            } finally {
                open.values().forEach(PortConnection::close);
            }
        });
        threads.forEach(Thread::start);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
            channels.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Drain.end(in, out, reader);
        }
    }

    private void forward(int port, int channel, ByteQueue input, ChannelSocket channels) {
        try (PortConnection connection = new PortConnection(forwarding.dial(port))) {
            open.put(channel, connection);
            connection.hold(input, channels.output(channel));
        } catch (ApiException | IOException e) {
            try {
                channels.output(channel + 1).write(forwarding.failure(port, e).getBytes(StandardCharsets.UTF_8));
            } catch (IOException gone) {
                // The client is gone.
            }
        } finally {
            open.remove(channel);
            input.close();
        }
    }
}
