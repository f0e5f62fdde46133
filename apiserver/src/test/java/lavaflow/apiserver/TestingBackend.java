package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** Another API server, behind {@code backend.default.svc}, that answers as well or as badly as a test wants. */
final class TestingBackend implements AutoCloseable {
    /** What it was asked. */
    record Asked(String line, String head) {
        boolean has(String header) {
            return head.toLowerCase(java.util.Locale.ROOT).contains("\r\n" + header.toLowerCase(java.util.Locale.ROOT));
        }
    }

    /** Writes an answer; the connection stays open for the next request unless it throws. */
    interface Behaviour {
        void answer(Asked asked, InputStream in, OutputStream out) throws IOException;
    }

    private static final char[] PASSWORD = "unused".toCharArray();

    private final SSLServerSocket server;
    private final CertificateAuthority authority;
    private final AtomicInteger connections = new AtomicInteger();
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    TestingBackend() throws Exception {
        authority = CertificateAuthority.create("backends", Instant.now());
        Identity identity = authority.issueServer("backend", List.of("backend.default.svc"), List.of(), Instant.now());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                "backend", identity.key(), PASSWORD, new java.security.cert.Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Says how to answer a path; what has no behaviour is not found. */
    void on(String path, Behaviour behaviour) {
        behaviours.put(path, behaviour);
    }

    void onJson(String path, String document) {
        on(path, (_, _, out) -> say(out, json(document)));
    }

    static String json(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                connections.incrementAndGet();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                Asked next = read(in);
                if (next == null) {
                    return;
                }
                asked.add(next);
                String path = next.line().split(" ", -1)[1].replaceAll("\\?.*", "");
                behaviours
                        .getOrDefault(
                                path, (_, _, to) -> say(to, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
                        .answer(next, in, out);
                out.flush();
            }
        } catch (IOException e) {
            // The client has gone, or the behaviour wanted it so.
        }
    }

    private static @org.jspecify.annotations.Nullable Asked read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            head.append((char) c);
        }
        Asked asked = new Asked(head.substring(0, head.indexOf("\r\n")), head.toString());
        if (asked.has("Transfer-Encoding: chunked")) {
            ByteArrayOutputStream end = new ByteArrayOutputStream();
            while (!end.toString(StandardCharsets.ISO_8859_1).endsWith("0\r\n\r\n")) {
                end.write(in.read());
            }
        }
        return asked;
    }

    /** Requests for a path, as they came. */
    List<Asked> asked(String path) {
        return asked.stream()
                .filter(each -> each.line().contains(" " + path + " "))
                .toList();
    }

    int connections() {
        return connections.get();
    }

    /** Hangs up on everybody. */
    void dropConnections() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        open.clear();
    }

    int port() {
        return server.getLocalPort();
    }

    String caBundle() {
        return Base64.getEncoder()
                .encodeToString(authority.identity().certificatePem().getBytes(StandardCharsets.UTF_8));
    }

    /** Makes a server pass {@code GROUP/v1} on to here. */
    void register(TestingServer at, String group) throws Exception {
        at.post("/api/v1/namespaces/default/services", """
                {"metadata":{"name":"backend"},"spec":{"type":"ExternalName","externalName":"localhost"}}
                """);
        at.post("/apis/apiregistration.k8s.io/v1/apiservices", """
                {"metadata":{"name":"v1.%1$s"},"spec":{"group":"%1$s","version":"v1","groupPriorityMinimum":1000,
                "versionPriority":15,"caBundle":"%2$s","service":{"namespace":"default","name":"backend","port":%3$d}}}
                """.formatted(group, caBundle(), port()));
    }

    @Override
    public void close() throws IOException {
        server.close();
        dropConnections();
    }
}
