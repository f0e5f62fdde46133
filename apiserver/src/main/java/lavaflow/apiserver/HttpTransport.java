package lavaflow.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.jspecify.annotations.Nullable;

/**
 * The listening socket: TLS, HTTP/1.1 and HTTP/2, one virtual thread a request. The only class besides {@link
 * JettyExchange} that knows the server library.
 */
final class HttpTransport implements AutoCloseable {
    private static final int MAX_HEADER_BYTES = 64 * 1024;
    /** Go clients put hundreds of watches on one connection. */
    private static final int MAX_STREAMS = 1_000;
    /** A client that cancels many watches at once is no attacker; one that does nothing else is. */
    private static final int MAX_HTTP2_EVENTS_PER_SECOND = 5_000;

    private static final Duration IDLE_CONNECTION = Duration.ofSeconds(150);
    /**
     * What a client may do before it is hung up on.
     *
     * @param headerTime how long the header of a request may take
     * @param http2EventsPerSecond how many frames that cost more than they say
     */
    record Limits(Duration headerTime, int http2EventsPerSecond) {
        /** The time is upstream's. */
        static final Limits USUAL = new Limits(Duration.ofSeconds(32), MAX_HTTP2_EVENTS_PER_SECOND);
    }

    private final Server server;
    private final ServerConnector connector;
    private final JettySlowHeaders slowHeaders;

    /**
     * @param outside another socket to serve at, open already; null for none
     */
    HttpTransport(
            InetSocketAddress listen, @Nullable ServerSocketChannel outside, Identity identity, JettyHandler handler) {
        this(listen, identity, handler, Limits.USUAL);
        if (outside != null) {
            ServerConnector second = connector(server, identity, Limits.USUAL);
            try {
                second.open(outside);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            second.addBean(slowHeaders, false);
            server.addConnector(second);
        }
    }

    HttpTransport(InetSocketAddress listen, Identity identity, JettyHandler handler, Limits limits) {
        QueuedThreadPool pool = new QueuedThreadPool(16, 3);
        pool.setName("http");
        pool.setDaemon(true);
        pool.setReservedThreads(0);
        pool.setVirtualThreadsExecutor(VirtualThreads.getDefaultVirtualThreadsExecutor());
        server = new Server(pool);
        server.setHandler(handler);
        server.setErrorHandler(new JettyHandler.StatusErrors());
        server.setStopTimeout(0);
        ServerWebSocketContainer.ensure(server).setIdleTimeout(Duration.ZERO);
        connector = connector(server, identity, limits);
        connector.setHost(listen.getHostString());
        connector.setPort(listen.getPort());
        slowHeaders = new JettySlowHeaders(limits.headerTime());
        connector.addBean(slowHeaders);
        server.addConnector(connector);
    }

    private static ServerConnector connector(Server server, Identity identity, Limits limits) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(true);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setHeaderCacheCaseSensitive(true);
        // Paths are read as upstream reads them, in RequestInfo; nothing here maps paths to files.
        http.setUriCompliance(UriCompliance.UNSAFE);
        http.setHttpCompliance(HttpCompliance.RFC7230);
        SecureRequestCustomizer secure = new SecureRequestCustomizer();
        secure.setSniHostCheck(false);
        http.addCustomizer(secure);
        HttpConnectionFactory http1 = new HttpConnectionFactory(http);
        HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(MAX_STREAMS);
        http2.setRateControlFactory(new org.eclipse.jetty.io.WindowRateControl.Factory(limits.http2EventsPerSecond()));
        http2.setStreamIdleTimeout(IDLE_CONNECTION.toMillis());
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol(http1.getProtocol());
        SslConnectionFactory tls = new SslConnectionFactory(tls(identity), alpn.getProtocol());
        ServerConnector connector = new ServerConnector(server, 1, 1, tls, alpn, http2, http1);
        connector.setIdleTimeout(IDLE_CONNECTION.toMillis());
        connector.setAcceptQueueSize(1024);
        return connector;
    }

    /**
     * The key goes to the TLS engine directly. In a key store it would be encrypted and decrypted again with a password that protects
     * nothing, which is a fifth of the time to start.
     */
    private static SslContextFactory.Server tls(Identity identity) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {new OneIdentity(identity)}, new TrustManager[] {new AcceptedForLater()}, null);
            tls.setSslContext(context);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot use the server's key", e);
        }
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        tls.setWantClientAuth(true);
        return tls;
    }

    void start() throws Exception {
        server.start();
        slowHeaders.start(connector.getScheduler());
    }

    int port() {
        return connector.getLocalPort();
    }

    /** Stops accepting; requests that are running go on. */
    void stopAccepting() {
        for (Connector each : server.getConnectors()) {
            CompletableFuture<Void> ignored = each.shutdown();
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server did not stop cleanly", e);
        }
    }

    /** Answers every client with the one certificate there is. */
    private static final class OneIdentity extends X509ExtendedKeyManager {
        private static final String ALIAS = "server";

        private final Identity identity;

        OneIdentity(Identity identity) {
            this.identity = identity;
        }

        private @Nullable String alias(String keyType) {
            return keyType.equals(identity.key().getAlgorithm()) ? ALIAS : null;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
            return alias(keyType);
        }

        @Override
        public @Nullable String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return alias(keyType);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal[] issuers) {
            return alias(keyType) == null ? null : new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return new X509Certificate[] {identity.certificate()};
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.key();
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return null;
        }
    }

    /**
     * Lets any client certificate through the handshake; {@link ClientCertificates} verifies it. A client with a
     * certificate of another cluster gets a 401 that says so instead of a broken connection, as upstream does.
     */
    private static final class AcceptedForLater extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
