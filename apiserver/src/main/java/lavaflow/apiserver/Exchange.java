package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.audit.AuditRecord;

import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its answer, as handlers see it: blocking streams, no server types.
 *
 * <p>Used by one thread. A handler either calls {@link #send} once, or {@link #stream} once and writes to it, or {@link
 * #upgrade} or {@link #tunnel} once.
 */
public interface Exchange {
    String method();

    /** The path as it came, still percent-encoded. */
    String rawPath();

    Query query();

    /** What follows the question mark as it came, empty where there is none. */
    String rawQuery();

    /** The first value of a header, or null. */
    @Nullable
    String header(String name);

    List<String> headers(String name);

    /** The names of all headers, each once. */
    Set<String> headerNames();

    InputStream body();

    /** What the client presented in the handshake, verified by nobody yet; empty where it presented nothing. */
    List<X509Certificate> clientCertificates();

    String remoteAddress();

    /** Sets a header of the answer. */
    void setHeader(String name, String value);

    /** Adds a header that may occur several times. */
    void addHeader(String name, String value);

    /** Answers in one piece. */
    void send(int status, String contentType, byte[] body) throws IOException;

    /** Begins an answer of unknown length; flushing it sends what there is. The handler closes it at its end. */
    OutputStream stream(int status, String contentType) throws IOException;

    /** Ends an answer that has begun so that the client can tell that it is not whole. */
    void breakOff();

    /** True if the client asks for a WebSocket. */
    boolean wantsWebSocket();

    /**
     * Switches to a WebSocket. The connection changes hands only after the handler returned, so the conversation is held
     * on a thread of its own; the socket is closed at its end.
     */
    void upgrade(List<String> protocols, Conversation conversation) throws IOException;

    /**
     * Leaves HTTP: answers 101 with the headers set so far, and from then on the connection belongs to the conversation, which is held
     * on a thread of its own. Only where the client asked for it over HTTP/1.1.
     *
     * @param idle how long nothing may be said before the connection is closed
     */
    void tunnel(Duration idle, Tunnel conversation) throws IOException;

    /** Runs when the client goes away before the answer is complete. */
    void onAbort(Runnable action);

    /** Throws if the client went away where nothing but looking tells: over HTTP/1.1, while there is nothing to write. */
    void requireClient() throws IOException;

    /** What is written down about this request. */
    default AuditRecord audit() {
        return AuditRecord.NONE;
    }

    /** The status already sent, 0 while there is none. */
    int status();

    /** What is said over a connection that left HTTP. */
    interface Tunnel {
        void hold(InputStream fromClient, OutputStream toClient) throws IOException;

        /** Called instead where the client left before it had its answer. */
        void abandoned();
    }

    /** What is said over a WebSocket. */
    interface Conversation {
        void hold(TextSocket socket) throws IOException;
    }

    /** Sends messages to a browser-like peer. */
    interface TextSocket extends AutoCloseable {
        void send(String message) throws IOException;

        /** Sends bytes that are no text. */
        void send(byte[] message) throws IOException;

        boolean isOpen();

        /** Runs once when the peer goes away, at once if it has. */
        void onClose(Runnable action);

        @Override
        void close();
    }
}
