package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A TLS server that answers as badly as a test wants. */
final class TestingWebhook implements AutoCloseable {
    /** Reads a request's body and writes whatever it likes to. */
    interface Behaviour {
        void answer(byte[] body, OutputStream out) throws Exception;
    }

    private final TestingListener listener;

    TestingWebhook(List<String> names, List<String> addresses, Behaviour behaviour) throws Exception {
        listener = new TestingListener("webhook", names, addresses);
        listener.start(socket -> serve(socket, behaviour));
    }

    /** A server at 127.0.0.1 that says one thing. */
    static TestingWebhook saying(String response) throws Exception {
        return new TestingWebhook(
                List.of(), List.of("127.0.0.1"), (_, out) -> out.write(response.getBytes(StandardCharsets.UTF_8)));
    }

    static String json(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    private static void serve(Socket socket, Behaviour behaviour) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                byte[] body = request(in);
                if (body == null) {
                    return;
                }
                behaviour.answer(body, out);
                out.flush();
            }
        } catch (IOException e) {
            // The client has gone.
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte @org.jspecify.annotations.Nullable [] request(InputStream in) throws IOException {
        String head = TestingListener.readHead(in);
        if (head == null) {
            return null;
        }
        int at = head.indexOf("Content-Length: ") + "Content-Length: ".length();
        return in.readNBytes(Integer.parseInt(head.substring(at, head.indexOf('\r', at))));
    }

    int port() {
        return listener.port();
    }

    int connections() {
        return listener.connections();
    }

    String caBundle() {
        return listener.caBundle();
    }

    /** A client configuration with the right bundle. */
    ObjectNode config() {
        ObjectNode config = Json.object();
        config.put("url", "https://127.0.0.1:" + port() + "/hook");
        config.put("caBundle", caBundle());
        return config;
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
