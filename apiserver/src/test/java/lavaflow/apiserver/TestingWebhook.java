package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A TLS server that answers as badly as a test wants. */
final class TestingWebhook implements AutoCloseable {
    /** Reads a request's body and writes whatever it likes to. */
    interface Behaviour {
        void answer(byte[] body, OutputStream out) throws Exception;
    }

    private static final char[] PASSWORD = "unused".toCharArray();

    private final SSLServerSocket server;
    private final CertificateAuthority authority;
    private final AtomicInteger connections = new AtomicInteger();

    TestingWebhook(List<String> names, List<String> addresses, Behaviour behaviour) throws Exception {
        authority = CertificateAuthority.create("webhooks", Instant.now());
        Identity identity = authority.issueServer("webhook", names, addresses, Instant.now());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                "webhook", identity.key(), PASSWORD, new java.security.cert.Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> accept(behaviour));
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

    private void accept(Behaviour behaviour) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket, behaviour));
            } catch (IOException e) {
                return;
            }
        }
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
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            head.append((char) c);
        }
        String text = head.toString();
        int at = text.indexOf("Content-Length: ") + "Content-Length: ".length();
        return in.readNBytes(Integer.parseInt(text.substring(at, text.indexOf('\r', at))));
    }

    int port() {
        return server.getLocalPort();
    }

    int connections() {
        return connections.get();
    }

    String caBundle() {
        return Base64.getEncoder()
                .encodeToString(authority.identity().certificatePem().getBytes(StandardCharsets.UTF_8));
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
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
