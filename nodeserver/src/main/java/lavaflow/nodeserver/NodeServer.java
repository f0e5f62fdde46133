package lavaflow.nodeserver;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for API servers and others who want to know something of this node. */
public final class NodeServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);
    private static final int MOST_CONNECTIONS = 1_000;
    private static final int BACKLOG = 128;
    private static final int HEAD_MILLIS = 60_000;
    private static final int KEPT_MILLIS = 90_000;
    /** As long as a kubelet keeps a quiet session. */
    private static final int SESSION_MILLIS = 4 * 3_600_000;

    private static final int MOST_BODY = 64 << 10;
    private static final char[] NO_PASSWORD = new char[0];

    private final ServerSocket listener;
    private volatile SSLContext tls;
    private final NodeAccess access;
    private final NodeRoutes routes;
    private final Semaphore room = new Semaphore(MOST_CONNECTIONS);
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    /**
     * Listens at once; answers after {@link #start}.
     *
     * @param chain of the certificate this node shows, its own first
     */
    public NodeServer(
            InetSocketAddress listen,
            PrivateKey key,
            List<X509Certificate> chain,
            NodeAccess access,
            NodeView view,
            NodeRoutes.Settings settings)
            throws IOException {
        this.tls = context(key, chain);
        this.access = access;
        this.routes = new NodeRoutes(view, settings);
        this.listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(listen, BACKLOG);
    }

    private static SSLContext context(PrivateKey key, List<X509Certificate> chain) throws IOException {
        try {
            // The newer PKCS 12 spends a third of a second on encrypting a key that never leaves memory.
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry("node", key, NO_PASSWORD, chain.toArray(new Certificate[0]));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), new TrustManager[] {new AnyClient()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the node's certificate cannot be used", e);
        }
    }

    /** Shows another certificate to whoever comes from now on. */
    public void show(PrivateKey key, List<X509Certificate> chain) throws IOException {
        tls = context(key, chain);
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void start() {
        Thread.ofVirtual().name("node server").start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                if (!room.tryAcquire()) {
                    socket.close();
                    continue;
                }
                connections.add(socket);
                if (listener.isClosed()) {
                    socket.close(); // it came while everybody else was sent away
                }
                Thread.ofVirtual().name("node connection").start(() -> serve(socket));
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    LOG.warn("the node's server cannot accept: {}", e.getMessage());
                }
            }
        }
    }

    private void serve(Socket raw) {
        try (raw;
                SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(raw, null, true)) {
            raw.setTcpNoDelay(true);
            raw.setKeepAlive(true);
            raw.setSoTimeout(HEAD_MILLIS);
            socket.setUseClientMode(false);
            socket.setWantClientAuth(true);
            socket.startHandshake();
            converse(raw, socket);
        } catch (IOException e) {
            LOG.debug("a connection ended: {}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.warn("a request failed", e);
        } finally {
            connections.remove(raw);
            room.release();
        }
    }

    private void converse(Socket raw, SSLSocket socket) throws IOException {
        Deadline deadline = new Deadline(socket.getInputStream());
        InputStream in = new BufferedInputStream(deadline, 16 << 10);
        OutputStream out = new BufferedOutputStream(socket.getOutputStream(), 16 << 10);
        List<X509Certificate> chain = certificates(socket);
        boolean again = true;
        int wait = HEAD_MILLIS;
        while (again) {
            raw.setSoTimeout(wait);
            deadline.within(wait);
            NodeRequest request;
            try {
                request = NodeRequest.read(in);
            } catch (ProtocolException e) {
                new NodeReply(out, false, false).text(400, e.getMessage() + "\n");
                return;
            }
            if (request == null) {
                return;
            }
            boolean small = discard(request, in);
            deadline.none();
            raw.setSoTimeout(SESSION_MILLIS);
            NodeReply reply = new NodeReply(
                    out, request.keepAlive() && small, request.method().equals("HEAD"));
            again = answer(request, chain, new NodeRoutes.Conversation(in, out, reply)) && request.keepAlive() && small;
            wait = KEPT_MILLIS;
        }
    }

    /** What comes with a request says nothing here; false where there is more of it than is worth reading. */
    private static boolean discard(NodeRequest request, InputStream in) throws IOException {
        if (!request.header("transfer-encoding").isEmpty()) {
            return false;
        }
        String length = request.header("content-length");
        if (length.isEmpty()) {
            return true;
        }
        boolean small = length.matches("[0-9]{1,6}") && Integer.parseInt(length) <= MOST_BODY;
        if (small) {
            in.skipNBytes(Integer.parseInt(length));
        }
        return small;
    }

    private static List<X509Certificate> certificates(SSLSocket socket) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            for (Certificate each : socket.getSession().getPeerCertificates()) {
                chain.add((X509Certificate) each);
            }
        } catch (SSLPeerUnverifiedException e) {
            return List.of(); // none was shown
        }
        return chain;
    }

    private boolean answer(NodeRequest request, List<X509Certificate> chain, NodeRoutes.Conversation conversation)
            throws IOException {
        NodeReply reply = conversation.reply();
        var caller = access.byCertificate(chain);
        String given = request.header("authorization");
        if (caller.isEmpty() && given.regionMatches(true, 0, "Bearer ", 0, 7)) {
            caller = access.byToken(given.substring(7).strip());
        }
        if (caller.isEmpty()) {
            reply.text(401, "Unauthorized\n");
            return true;
        }
        NodeAccess.Wish wish = NodeRoutes.wish(request);
        if (!access.allows(caller.get(), wish)) {
            reply.text(
                    403,
                    "Forbidden (user=" + caller.get().name() + ", verb=" + wish.verb()
                            + ", resource=nodes, subresource(s)="
                            + wish.subresources().toString().replace(",", "")
                            + ")\n");
            return true;
        }
        return routes.serve(request, conversation);
    }

    /** Ends every conversation. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // It listens no more, whatever it says.
        }
        for (Socket connection : connections) {
            try {
                connection.close();
            } catch (IOException e) {
                // Nothing is lost with it.
            }
        }
    }

    /** Reading must be done by a moment, however often a byte comes. */
    private static final class Deadline extends java.io.FilterInputStream {
        private long nanos = Long.MAX_VALUE;

        Deadline(InputStream in) {
            super(in);
        }

        void within(int millis) {
            nanos = System.nanoTime() + millis * 1_000_000L;
        }

        void none() {
            nanos = Long.MAX_VALUE;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (nanos != Long.MAX_VALUE && System.nanoTime() - nanos > 0) {
                throw new SocketTimeoutException("the request takes too long");
            }
            return super.read(bytes, offset, length);
        }
    }
}
