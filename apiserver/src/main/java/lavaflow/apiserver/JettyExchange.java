package lavaflow.apiserver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.jspecify.annotations.Nullable;

/** An {@link Exchange} over Jetty. */
final class JettyExchange implements Exchange {
    /** More than this is not worth reading only to keep a connection. */
    private static final int MOST_UNREAD = 256 << 10;

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final Query query;
    private int status;
    private boolean completed;
    private @Nullable OutputStream stream;
    private @Nullable EarlyBody early;

    JettyExchange(Request request, Response response, Callback callback) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.query = Query.parse(request.getHttpURI().getQuery());
        // A quiet watch is not a dead one: only reading and writing may time out.
        request.addIdleTimeoutListener(_ -> false);
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String rawPath() {
        String path = request.getHttpURI().getPath();
        return path == null ? "/" : path;
    }

    @Override
    public Query query() {
        return query;
    }

    @Override
    public String rawQuery() {
        String raw = request.getHttpURI().getQuery();
        return raw == null ? "" : raw;
    }

    @Override
    public @Nullable String header(String name) {
        return request.getHeaders().get(name);
    }

    @Override
    public List<String> headers(String name) {
        return request.getHeaders().getValuesList(name);
    }

    @Override
    public Set<String> headerNames() {
        return request.getHeaders().getFieldNamesCollection();
    }

    @Override
    public InputStream body() {
        InputStream rest = Content.Source.asInputStream(request);
        return early == null ? rest : new SequenceInputStream(early.stream(), rest);
    }

    @Override
    public List<X509Certificate> clientCertificates() {
        Object data = request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE);
        if (data instanceof EndPoint.SslSessionData session) {
            X509Certificate[] chain = session.peerCertificates();
            return chain == null ? List.of() : List.of(chain);
        }
        return List.of();
    }

    @Override
    public String remoteAddress() {
        return Request.getRemoteAddr(request);
    }

    @Override
    public void setHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        response.getHeaders().add(name, value);
    }

    @Override
    public void send(int code, String contentType, byte[] body) throws IOException {
        begin(code, contentType);
        readRest();
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        boolean head = request.getMethod().equals("HEAD");
        try (Blocker.Callback done = Blocker.callback()) {
            response.write(true, head ? ByteBuffer.allocate(0) : ByteBuffer.wrap(body), done);
            done.block();
        }
    }

    @Override
    public OutputStream stream(int code, String contentType) throws IOException {
        begin(code, contentType);
        OutputStream opened = Content.Sink.asOutputStream(response);
        stream = opened;
        return opened;
    }

    /**
     * Reads what is left of a request that was answered early, as a refused one is. With a body still on its way the
     * connection would be closed and the client's next request on it lost, or over HTTP/2 the answer with the stream.
     */
    private void readRest() throws IOException {
        HttpFields headers = request.getHeaders();
        boolean body = headers.contains(HttpHeader.CONTENT_LENGTH) || headers.contains(HttpHeader.TRANSFER_ENCODING);
        if (!body) {
            return;
        }
        InputStream rest = body();
        boolean more = rest.read() >= 0 && rest.skip(MOST_UNREAD) == MOST_UNREAD;
        if (more && request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
    }

    private void begin(int code, String contentType) {
        if (status != 0) {
            throw new IllegalStateException("answered twice");
        }
        status = code;
        response.setStatus(code);
        if (!contentType.isEmpty()) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        }
    }

    @Override
    public boolean wantsWebSocket() {
        HttpFields headers = request.getHeaders();
        return headers.contains(HttpHeader.UPGRADE, "websocket") && headers.contains(HttpHeader.CONNECTION, "upgrade");
    }

    @Override
    public void upgrade(List<String> protocols, Conversation conversation) throws IOException {
        ServerWebSocketContainer container = ServerWebSocketContainer.get(request.getContext());
        status = 101;
        completed = true;
        boolean upgraded = container.upgrade(
                (upgradeRequest, upgradeResponse, _) -> {
                    for (String offered : upgradeRequest.getSubProtocols()) {
                        if (protocols.contains(offered)) {
                            upgradeResponse.setAcceptedSubProtocol(offered);
                            break;
                        }
                    }
                    return new ConversationSocket(conversation);
                },
                request,
                response,
                callback);
        if (!upgraded) {
            completed = false;
            throw new IOException("the WebSocket handshake was refused");
        }
    }

    @Override
    public void tunnel(Duration idle, Tunnel conversation) {
        status = 101;
        response.setStatus(101);
        EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
        JettyTunnel tunnel = new JettyTunnel(connection, request.getComponents().getExecutor(), idle, conversation);
        request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, tunnel);
        Request.addCompletionListener(request, failure -> {
            if (failure != null) {
                tunnel.abandon();
            }
        });
    }

    @Override
    public void breakOff() {
        fail(new IOException("the answer is not whole"));
    }

    @Override
    public void onAbort(Runnable action) {
        request.addFailureListener(_ -> action.run());
    }

    private boolean hasBody() {
        HttpFields headers = request.getHeaders();
        boolean length =
                headers.contains(HttpHeader.CONTENT_LENGTH) && headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0;
        return length || headers.contains(HttpHeader.TRANSFER_ENCODING);
    }

    /**
     * What follows on the connection is the body, until that is read; only behind it one can see the client leave. A short one is read
     * ahead of its handler, who may not have got so far.
     */
    private boolean isReadWhole() throws IOException {
        if (!hasBody()) {
            return true;
        }
        if (early == null) {
            early = new EarlyBody();
        }
        return early.read(request);
    }

    /** The beginning of a body, which nobody asked for yet. */
    private static final class EarlyBody {
        private static final int MOST = 16 << 10;

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private @Nullable InputStream stream;
        private boolean whole;

        /** Reads what is there; true when that is all. */
        boolean read(Request request) throws IOException {
            while (!whole && bytes.size() < MOST) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    break;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    throw new EOFException("the client left");
                }
                bytes.writeBytes(BufferUtil.toArray(chunk.getByteBuffer()));
                whole = chunk.isLast();
                chunk.release();
            }
            return whole;
        }

        /** The same for everybody who asks: what was read from it is read. */
        InputStream stream() {
            if (stream == null) {
                stream = new ByteArrayInputStream(bytes.toByteArray());
            }
            return stream;
        }
    }

    /** Nobody else reads from an HTTP/1.1 connection while its request is being answered. */
    @Override
    public void requireClient() throws IOException {
        if (request.getConnectionMetaData().getHttpVersion().getVersion() > HttpVersion.HTTP_1_1.getVersion()) {
            return;
        }
        if (!isReadWhole()) {
            return;
        }
        EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
        int read = connection.fill(BufferUtil.allocate(1));
        if (read != 0) {
            connection.close(); // what a client said in the middle of an answer cannot be given back
            throw new EOFException("the client left");
        }
    }

    @Override
    public int status() {
        return status;
    }

    /** Ends the exchange once the handler is done with it. */
    void finish() throws IOException {
        if (completed) {
            return;
        }
        if (stream != null) {
            stream.close();
        }
        completed = true;
        callback.succeeded();
    }

    void fail(Throwable failure) {
        if (!completed) {
            completed = true;
            callback.failed(failure);
        }
    }

    /** Receives nothing but the news that it is open or closed; a watch client has nothing to say. */
    public static final class ConversationSocket implements Session.Listener.AutoDemanding {
        private final Conversation conversation;
        private final CompletableFuture<Void> gone = new CompletableFuture<>();

        ConversationSocket(Conversation conversation) {
            this.conversation = conversation;
        }

        @Override
        public void onWebSocketOpen(Session session) {
            Thread.ofVirtual().name("websocket").start(() -> converse(session));
        }

        private void converse(Session session) {
            try (OpenSocket socket = new OpenSocket(session, gone)) {
                conversation.hold(socket);
            } catch (IOException e) {
                // The peer is gone, which is how most conversations end.
            }
        }

        @Override
        public void onWebSocketClose(int statusCode, String reason, org.eclipse.jetty.websocket.api.Callback callback) {
            gone.complete(null);
            callback.succeed();
        }

        @Override
        public void onWebSocketError(Throwable cause) {
            gone.complete(null);
        }
    }

    private record OpenSocket(Session session, CompletableFuture<Void> gone) implements TextSocket {
        @Override
        public void send(String message) throws IOException {
            org.eclipse.jetty.websocket.api.Callback.Completable sent =
                    new org.eclipse.jetty.websocket.api.Callback.Completable();
            session.sendText(message, sent);
            await(sent);
        }

        @Override
        public void send(byte[] message) throws IOException {
            org.eclipse.jetty.websocket.api.Callback.Completable sent =
                    new org.eclipse.jetty.websocket.api.Callback.Completable();
            session.sendBinary(ByteBuffer.wrap(message), sent);
            await(sent);
        }

        private static void await(CompletableFuture<Void> sent) throws IOException {
            try {
                sent.get(60, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("the WebSocket peer does not read", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        @Override
        public boolean isOpen() {
            return session.isOpen();
        }

        @Override
        public void onClose(Runnable action) {
            var _ = gone.thenRun(action);
        }

        @Override
        public void close() {
            session.close(1000, "", org.eclipse.jetty.websocket.api.Callback.NOOP);
        }
    }
}
