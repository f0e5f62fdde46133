package lavaflow.remote;

import java.util.concurrent.atomic.AtomicReference;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that a server cannot be reached any more, and once that it can again, however many ask for it. Where it never could, whoever
 * wanted to connect says so.
 */
final class Reachability {
    private static final Logger LOG = LoggerFactory.getLogger(Reachability.class);

    private final String server;
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private volatile boolean known;
    private volatile boolean closed;

    Reachability(String server) {
        this.server = server;
    }

    void failed(String what) {
        if (known && !closed && failure.getAndSet(what).isEmpty()) {
            LOG.warn("cannot reach {}: {}; trying again", server, what);
        }
    }

    /** What fails from now on was meant to. */
    void close() {
        closed = true;
    }

    void reached() {
        known = true;
        if (!failure.get().isEmpty() && !failure.getAndSet("").isEmpty()) {
            LOG.info("{} can be reached again", server);
        }
    }
}
