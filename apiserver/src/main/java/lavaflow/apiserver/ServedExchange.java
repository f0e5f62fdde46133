package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.audit.AuditRecord;
import lavaflow.fairness.Ticket;

import org.jspecify.annotations.Nullable;

/**
 * An exchange whose request is known and admitted: the audit record hears when the answer begins, and a watch gives its seats
 * back then, because a watch that only waits costs nothing.
 */
final class ServedExchange implements Exchange {
    /** What goes out in one write. */
    private static final int ONE_WRITE = 16 << 10;

    private final Exchange exchange;
    private final AuditRecord audit;
    private final boolean longRunning;
    private @Nullable Ticket ticket;
    /** The conversation goes on when the handler is done. */
    private boolean upgraded;

    ServedExchange(Exchange exchange, AuditRecord audit, boolean longRunning) {
        this.exchange = exchange;
        this.audit = audit;
        this.longRunning = longRunning;
    }

    /** Holds seats until the answer begins, where it stays open, or else until the request is over. */
    void hold(Ticket admitted) {
        ticket = admitted;
    }

    /** The request is over; what it held is free. */
    void finish() {
        if (ticket != null) {
            ticket.close();
        }
        if (!upgraded) {
            audit.complete(longRunning);
        }
    }

    private void begins(int status) {
        audit.answered(status, longRunning);
        if (longRunning && ticket != null) {
            ticket.close();
        }
    }

    @Override
    public AuditRecord audit() {
        return audit;
    }

    @Override
    public void send(int status, String contentType, byte[] body) throws IOException {
        begins(status);
        // Nothing is left to do that costs: who asks one after the other must not find the seat still taken by their
        // last request.
        if (ticket != null && body.length <= ONE_WRITE) {
            ticket.close();
        }
        exchange.send(status, contentType, body);
    }

    @Override
    public OutputStream stream(int status, String contentType) throws IOException {
        begins(status);
        return exchange.stream(status, contentType);
    }

    @Override
    public void upgrade(List<String> protocols, Conversation conversation) throws IOException {
        begins(101);
        upgraded = true;
        exchange.upgrade(protocols, socket -> {
            try {
                conversation.hold(socket);
            } finally {
                audit.complete(longRunning);
            }
        });
    }

    @Override
    public void tunnel(Duration idle, Tunnel conversation) throws IOException {
        begins(101);
        upgraded = true;
        exchange.tunnel(idle, new Tunnel() {
            @Override
            public void hold(InputStream in, OutputStream out) throws IOException {
                try {
                    conversation.hold(in, out);
                } finally {
                    audit.complete(longRunning);
                }
            }

            @Override
            public void abandoned() {
                conversation.abandoned();
                audit.complete(longRunning);
            }
        });
    }

    @Override
    public void breakOff() {
        exchange.breakOff();
    }

    @Override
    public String method() {
        return exchange.method();
    }

    @Override
    public String rawPath() {
        return exchange.rawPath();
    }

    @Override
    public String rawQuery() {
        return exchange.rawQuery();
    }

    @Override
    public Query query() {
        return exchange.query();
    }

    @Override
    public @Nullable String header(String name) {
        return exchange.header(name);
    }

    @Override
    public List<String> headers(String name) {
        return exchange.headers(name);
    }

    @Override
    public Set<String> headerNames() {
        return exchange.headerNames();
    }

    @Override
    public InputStream body() {
        return exchange.body();
    }

    @Override
    public List<X509Certificate> clientCertificates() {
        return exchange.clientCertificates();
    }

    @Override
    public String remoteAddress() {
        return exchange.remoteAddress();
    }

    @Override
    public void setHeader(String name, String value) {
        exchange.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        exchange.addHeader(name, value);
    }

    @Override
    public boolean wantsWebSocket() {
        return exchange.wantsWebSocket();
    }

    @Override
    public void onAbort(Runnable action) {
        exchange.onAbort(action);
    }

    @Override
    public void requireClient() throws IOException {
        exchange.requireClient();
    }

    @Override
    public int status() {
        return exchange.status();
    }
}
