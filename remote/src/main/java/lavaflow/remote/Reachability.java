package lavaflow.remote;

import java.util.concurrent.atomic.AtomicReference;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that a server cannot be reached, and once that it can again, however many ask for it. */
final class Reachability {
    private static final Logger LOG = LoggerFactory.getLogger(Reachability.class);

    private final String server;
    private final AtomicReference<String> failure = new AtomicReference<>("");

    Reachability(String server) {
        this.server = server;
    }

    void failed(String what) {
        if (failure.getAndSet(what).isEmpty()) {
            LOG.warn("cannot reach {}: {}; trying again", server, what);
        }
    }

    void reached() {
        if (!failure.get().isEmpty() && !failure.getAndSet("").isEmpty()) {
            LOG.info("{} can be reached again", server);
        }
    }
}
