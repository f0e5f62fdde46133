package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** A question of a component of this process, and the answer it gets, which is kept in memory. */
final class LocalExchange implements Exchange {
    private final String path;
    private final String query;
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private int status;

    /**
     * @param pathAndQuery as in a URL
     */
    LocalExchange(String pathAndQuery) {
        int mark = pathAndQuery.indexOf('?');
        this.path = mark < 0 ? pathAndQuery : pathAndQuery.substring(0, mark);
        this.query = mark < 0 ? "" : pathAndQuery.substring(mark + 1);
    }

    byte[] answer() {
        return answer.toByteArray();
    }

    @Override
    public String method() {
        return "GET";
    }

    @Override
    public String rawPath() {
        return path;
    }

    @Override
    public Query query() {
        return Query.parse(query);
    }

    @Override
    public String rawQuery() {
        return query;
    }

    @Override
    public @Nullable String header(String name) {
        return name.equalsIgnoreCase("Accept") ? "application/json" : null;
    }

    @Override
    public List<String> headers(String name) {
        String value = header(name);
        return value == null ? List.of() : List.of(value);
    }

    @Override
    public Set<String> headerNames() {
        return Set.of("Accept");
    }

    @Override
    public InputStream body() {
        return InputStream.nullInputStream();
    }

    @Override
    public List<X509Certificate> clientCertificates() {
        return List.of();
    }

    @Override
    public String remoteAddress() {
        return "127.0.0.1";
    }

    @Override
    public void setHeader(String name, String value) {}

    @Override
    public void addHeader(String name, String value) {}

    @Override
    public void send(int code, String contentType, byte[] body) {
        status = code;
        answer.writeBytes(body);
    }

    @Override
    public OutputStream stream(int code, String contentType) {
        status = code;
        return answer;
    }

    @Override
    public void breakOff() {
        status = 500;
    }

    @Override
    public boolean wantsWebSocket() {
        return false;
    }

    @Override
    public void upgrade(List<String> protocols, Conversation conversation) {
        throw new UnsupportedOperationException("nobody asked for a WebSocket");
    }

    @Override
    public void tunnel(Duration idle, Tunnel conversation) {
        throw new UnsupportedOperationException("there is no connection");
    }

    @Override
    public void onAbort(Runnable action) {}

    @Override
    public void requireClient() {}

    @Override
    public int status() {
        return status;
    }
}
