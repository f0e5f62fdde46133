package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Port-forwarding over SPDY: for every connection of the client's a stream of data and one for what goes wrong. */
final class PortsOverSpdy {
    static final String PROTOCOL = "portforward.k8s.io";

    private static final int PAIR_SECONDS = 30;

    /** Both streams of a connection, as far as they have come. */
    private static final class Pair {
        private @Nullable SpdyStream data;
        private @Nullable SpdyStream error;
    }

    private final PortForwarding forwarding;
    /** By request; guarded by itself. */
    private final Map<String, Pair> waiting = new LinkedHashMap<>();

    private final Map<Integer, PortConnection> open = new ConcurrentHashMap<>();

    PortsOverSpdy(PortForwarding forwarding) {
        this.forwarding = forwarding;
    }

    /** Until the client leaves. */
    void hold(InputStream in, OutputStream out) throws IOException {
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                        Thread.ofVirtual().name("port-forward timer").factory());
                SpdySession session = new SpdySession(in, out, stream -> opened(stream, timer))) {
            try {
                session.run();
            } finally {
                timer.shutdownNow();
                open.values().forEach(PortConnection::close);
            }
        }
    }

    private boolean opened(SpdyStream stream, ScheduledExecutorService timer) {
        String type = stream.header("streamtype");
        int port = port(stream);
        if (port == 0 || !(type.equals("data") || type.equals("error"))) {
            return false;
        }
        boolean data = type.equals("data");
        String request = stream.header("requestid");
        if (request.isEmpty()) {
            // Old clients open the error stream first.
            request = Integer.toString(data ? stream.id() - 2 : stream.id());
        }
        Pair pair;
        String key = request;
        synchronized (waiting) {
            pair = waiting.computeIfAbsent(key, _ -> new Pair());
            if ((data ? pair.data : pair.error) != null) {
                return false;
            }
            if (data) {
                pair.data = stream;
            } else {
                pair.error = stream;
                stream.input().close();
            }
            if (pair.data == null || pair.error == null) {
                var _ = timer.schedule(() -> expire(key, pair), PAIR_SECONDS, TimeUnit.SECONDS);
                return true;
            }
            waiting.remove(key);
        }
        SpdyStream first = pair.data;
        SpdyStream second = pair.error;
        Thread.ofVirtual().name("port-forward").start(() -> forward(first, second));
        return true;
    }

    private static int port(SpdyStream stream) {
        String text = stream.header("port");
        int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        return port > 0xffff ? 0 : port;
    }

    private void expire(String request, Pair pair) {
        synchronized (waiting) {
            if (waiting.get(request) != pair) {
                return;
            }
            waiting.remove(request);
        }
        try {
            if (pair.error != null) {
                pair.error.output().write("timed out waiting for streams".getBytes(StandardCharsets.UTF_8));
                pair.error.output().close();
            }
            if (pair.data != null) {
                pair.data.reset();
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    private void forward(SpdyStream data, SpdyStream error) {
        int port = port(data);
        try {
            try (PortConnection connection = new PortConnection(forwarding.dial(port))) {
                open.put(data.id(), connection);
                data.onReset(connection::close);
                connection.hold(data.input(), data.output());
            } catch (ApiException | IOException e) {
                error.output().write(forwarding.failure(port, e).getBytes(StandardCharsets.UTF_8));
            } finally {
                open.remove(data.id());
                data.input().close();
            }
            error.output().close();
            data.output().close();
        } catch (IOException e) {
            // The client is gone.
        }
    }
}
