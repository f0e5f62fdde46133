package lavaflow.network;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells load balancers at a port for each service whether this node has pods of it (healthCheckNodePort). */
final class HealthCheckPorts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthCheckPorts.class);
    private static final int MOST_AT_ONCE = 32;
    private static final int PATIENCE_MILLIS = 5_000;
    private static final int LONGEST_REQUEST = 8 * 1024;

    /** A port that is listened at. */
    private static final class Listening {
        private final ServiceView service;
        private final ServerSocket socket;
        private final Semaphore turns = new Semaphore(MOST_AT_ONCE);
        private volatile int pods;

        Listening(ServiceView service, ServerSocket socket) {
            this.service = service;
            this.socket = socket;
        }

        void listen() {
            try {
                while (true) {
                    Socket client = socket.accept();
                    if (turns.tryAcquire()) {
                        Thread.ofVirtual().name("health-check").start(() -> answerOnce(client));
                    } else {
                        client.close();
                    }
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        private void answerOnce(Socket client) {
            try (client) {
                client.setSoTimeout(PATIENCE_MILLIS);
                if (isRequest(client.getInputStream())) {
                    client.getOutputStream().write(answer());
                }
            } catch (IOException e) {
                // Who asks and does not wait is not answered.
            } finally {
                turns.release();
            }
        }

        /** Reads to the end of the header. */
        private static boolean isRequest(InputStream in) throws IOException {
            int matched = 0;
            for (int i = 0; i < LONGEST_REQUEST; i++) {
                int next = in.read();
                if (next < 0) {
                    return false;
                }
                matched = next == '\n' ? matched + 1 : next == '\r' ? matched : 0;
                if (matched == 2) {
                    return true;
                }
            }
            return false;
        }

        private byte[] answer() {
            int count = pods;
            ObjectNode body = Json.object();
            body.putObject("service").put("namespace", service.namespace()).put("name", service.name());
            body.put("localEndpoints", count).put("serviceProxyHealthy", true);
            byte[] bytes = Json.bytes(body);
            String head = "HTTP/1.1 " + (count > 0 ? "200 OK" : "503 Service Unavailable")
                    + "\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff"
                    + "\r\nX-Load-Balancing-Endpoint-Weight: " + count
                    + "\r\nContent-Length: " + bytes.length + "\r\nConnection: close\r\n\r\n";
            return (head + new String(bytes, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }
    }

    private final Map<String, Listening> listening = new HashMap<>();

    synchronized void update(ServiceView service, List<SliceView> slices, String node) {
        Listening present = listening.get(service.key());
        if (present != null && present.socket.getLocalPort() != service.healthPort()) {
            remove(service.key());
            present = null;
        }
        if (service.healthPort() == 0) {
            return;
        }
        if (present == null) {
            present = open(service);
            if (present == null) {
                return;
            }
        }
        present.pods = (int) slices.stream()
                .flatMap(slice -> slice.endpoints().stream())
                .filter(endpoint -> endpoint.ready() && endpoint.node().equals(node))
                .map(SliceView.Endpoint::address)
                .distinct()
                .count();
    }

    private @org.jspecify.annotations.Nullable Listening open(ServiceView service) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), service.healthPort()));
            Listening opened = new Listening(service, socket);
            listening.put(service.key(), opened);
            Thread.ofVirtual().name("health-checks").start(opened::listen);
            return opened;
        } catch (IOException e) {
            LOG.warn("health checks of {} at port {}: {}", service.key(), service.healthPort(), e.getMessage());
            return null;
        }
    }

    synchronized void remove(String service) {
        Listening present = listening.remove(service);
        if (present != null) {
            try {
                present.socket.close();
            } catch (IOException e) {
                LOG.debug("closing", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        List.copyOf(listening.keySet()).forEach(this::remove);
    }
}
