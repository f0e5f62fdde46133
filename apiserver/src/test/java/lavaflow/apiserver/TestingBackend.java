package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Another API server, behind {@code backend.default.svc}, that answers as well or as badly as a test wants. */
final class TestingBackend implements AutoCloseable {
    /** What it was asked. */
    record Asked(String line, String head, Socket connection) {
        boolean has(String header) {
            return head.toLowerCase(java.util.Locale.ROOT).contains("\r\n" + header.toLowerCase(java.util.Locale.ROOT));
        }
    }

    /** Writes an answer; the connection stays open for the next request unless it throws. */
    interface Behaviour {
        void answer(Asked asked, InputStream in, OutputStream out) throws IOException;
    }

    private final TestingListener listener;
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final Set<Socket> idle = ConcurrentHashMap.newKeySet();

    TestingBackend() throws Exception {
        listener = new TestingListener("backend", List.of("backend.default.svc"), List.of());
        listener.start(socket -> {
            open.add(socket);
            serve(socket);
        });
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

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                Asked next = read(socket);
                if (next == null) {
                    return;
                }
                idle.remove(socket);
                asked.add(next);
                String path = next.line().split(" ", -1)[1].replaceAll("\\?.*", "");
                behaviours
                        .getOrDefault(
                                path, (_, _, to) -> say(to, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
                        .answer(next, in, out);
                out.flush();
                idle.add(socket);
            }
        } catch (IOException e) {
            // The client has gone, or the behaviour wanted it so.
        }
    }

    private static @org.jspecify.annotations.Nullable Asked read(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        String head = TestingListener.readHead(in);
        if (head == null) {
            return null;
        }
        Asked asked = new Asked(head.substring(0, head.indexOf("\r\n")), head, socket);
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
        return listener.connections();
    }

    /** Hangs up on everybody who got an answer and did not ask again; who waits for one would rightly complain. */
    void dropIdleConnections() throws IOException {
        for (Socket socket : idle) {
            socket.close();
        }
        idle.clear();
    }

    int port() {
        return listener.port();
    }

    String caBundle() {
        return listener.caBundle();
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
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
