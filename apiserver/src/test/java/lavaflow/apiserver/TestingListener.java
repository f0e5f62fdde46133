package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

import org.jspecify.annotations.Nullable;

/** Listens for TLS connections on loopback, with a certificate of an authority of its own, and hands each on. */
final class TestingListener implements AutoCloseable {
    private static final char[] PASSWORD = "unused".toCharArray();

    private final SSLServerSocket server;
    private final CertificateAuthority authority;
    private final AtomicInteger connections = new AtomicInteger();
    private @Nullable Thread accepting;

    TestingListener(String name, List<String> names, List<String> addresses) throws Exception {
        authority = CertificateAuthority.create(name + "s", Instant.now());
        Identity identity = authority.issueServer(name, names, addresses, Instant.now());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(name, identity.key(), PASSWORD, new java.security.cert.Certificate[] {identity.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Serves each connection on a thread of its own from now on. */
    void start(Consumer<Socket> serve) {
        accepting = Thread.ofVirtual().start(() -> accept(serve));
    }

    private void accept(Consumer<Socket> serve) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve.accept(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** The first line and the headers of a request; null when no more comes. */
    static @Nullable String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return null;
            }
            head.append((char) c);
        }
        return head.toString();
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

    /** Nobody can connect any more afterwards: a socket on which a virtual thread waits is open until that thread has gone. */
    @Override
    public void close() throws IOException {
        server.close();
        Thread waiting = accepting;
        if (waiting == null) {
            return;
        }
        try {
            waiting.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
