package lavaflow.controller;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one kind: lists, watches, and starts over when the server has forgotten where we were. Tells a listener of
 * every object that exists or is gone; an object may be told of more than once.
 */
final class Follower implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final Duration POLL = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private final KubeApi api;
    private final KubeApi.Kind kind;
    private final ChangeListener listener;
    private final Runnable synced;
    private final Map<String, ObjectNode> known = new HashMap<>();
    private volatile boolean closed;
    private volatile KubeApi.@org.jspecify.annotations.Nullable Watch watch;

    Follower(KubeApi api, KubeApi.Kind kind, ChangeListener listener, Runnable synced) {
        this.api = api;
        this.kind = kind;
        this.listener = listener;
        this.synced = synced;
    }

    void close() {
        closed = true;
        KubeApi.Watch current = watch;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void run() {
        Duration pause = FIRST_PAUSE;
        while (!closed) {
            try {
                long revision = list();
                synced.run();
                pause = FIRST_PAUSE;
                follow(revision);
            } catch (ApiException e) {
                if (e.code() != 410) {
                    LOG.warn("cannot follow {}: {}", kind, e.getMessage());
                    pause = sleep(pause);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.error("following {} failed", kind, e);
                    pause = sleep(pause);
                }
            }
        }
    }

    private static Duration sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
    }

    private long list() {
        KubeApi.Listing listing = api.list(kind, "");
        Map<String, ObjectNode> gone = new HashMap<>(known);
        for (var object : listing.items()) {
            gone.remove(Json.textAt(object, "metadata", "uid"));
            tell(new KubeApi.Event(false, object));
        }
        gone.values().forEach(object -> tell(new KubeApi.Event(true, object)));
        listener.onRelist(kind);
        return listing.revision();
    }

    private void follow(long revision) throws InterruptedException {
        try (KubeApi.Watch opened = api.watch(kind, revision)) {
            watch = opened;
            while (!closed) {
                opened.next(POLL).forEach(this::tell);
            }
        } finally {
            watch = null;
        }
    }

    /** Remembers who exists, with no more than a listener would need to hear that it is gone. */
    private void tell(KubeApi.Event event) {
        String uid = Json.textAt(event.object(), "metadata", "uid");
        if (event.deleted()) {
            known.remove(uid);
        } else if (listener.remembers(event.object())) {
            known.put(uid, listener.memory(event.object()));
        }
        listener.onChange(kind, event.object(), event.deleted());
    }
}
