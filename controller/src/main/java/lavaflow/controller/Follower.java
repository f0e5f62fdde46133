package lavaflow.controller;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one kind: lists, watches, and starts over when the watch breaks. One thread moves it along, its own or a
 * test's; any thread may ask how far it is or close it.
 */
final class Follower implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
    private static final Duration POLL = Duration.ofSeconds(30);
    static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private final KubeApi api;
    private final KubeApi.Kind kind;
    private final List<ChangeListener> listeners;
    private final CountDownLatch closed = new CountDownLatch(1);
    private KubeApi.View view = KubeApi.View.METADATA;
    /** Null for all objects. */
    private KubeApi.@Nullable Scope scope;

    private volatile KubeApi.@Nullable Watch watch;
    /** Somebody wanted to know how far it is while there was no watch. */
    private volatile boolean asked;
    /** Listeners have heard of objects or that there are none, and must hear of the next list, which hides what was between. */
    private boolean told;

    private boolean synced;
    private long revision = -1;
    private Duration pause = FIRST_PAUSE;
    /** What was said of the last failure; the same again is not worth a line. */
    private String complaint = "";

    Follower(KubeApi api, KubeApi.Kind kind, List<ChangeListener> listeners) {
        this.api = api;
        this.kind = kind;
        this.listeners = listeners;
    }

    /** Some listener needs more than metadata. Call before anything starts. */
    void showWhole() {
        view = KubeApi.View.WHOLE;
    }

    /** Nobody may see, or wants, more than a part. Call before anything starts. */
    void showOnly(KubeApi.Scope part) {
        scope = part;
    }

    @Override
    public void run() {
        try {
            while (!isClosed()) {
                Duration wait = step(POLL);
                if (!wait.isZero()) {
                    // Closing ends the pause.
                    boolean ignored = closed.await(wait.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            drop();
        }
    }

    /**
     * Lists, or waits for changes and tells them.
     *
     * @return how long to pause before the next step; more than nothing after a failure
     */
    Duration step(Duration timeout) throws InterruptedException {
        try {
            KubeApi.Watch current = watch;
            if (current == null) {
                listAndWatch();
            } else {
                KubeApi.Progress progress = current.next(timeout);
                progress.events().forEach(event -> tell(event.object(), event.deleted()));
                reach(progress.revision());
                pause = FIRST_PAUSE;
                complaint = "";
            }
            return Duration.ZERO;
        } catch (ApiException e) {
            drop();
            // A kind that is not served any more is about to be followed no more.
            boolean ordinary = e.code() == 410 || e.code() == 404;
            if (!ordinary && !isClosed() && !String.valueOf(e.getMessage()).equals(complaint)) {
                complaint = String.valueOf(e.getMessage());
                LOG.warn("cannot follow {}: {}", kind, complaint);
            }
        } catch (RuntimeException e) {
            drop();
            if (!isClosed()) {
                LOG.error("following {} failed", kind, e);
            }
        }
        // Even where the past is merely gone: a server that forgets faster than we list must not be listed in a loop.
        Duration wait = pause;
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
        return wait;
    }

    private void listAndWatch() {
        boolean again = told;
        Set<String> uids = new HashSet<>();
        KubeApi.Scope part = scope;
        Consumer<ObjectNode> each = object -> {
            told = true;
            if (again) {
                uids.add(Json.textAt(object, "metadata", "uid"));
            }
            tell(object, false);
        };
        long listed = part == null ? api.list(kind, "", view, each) : api.list(kind, part, view, each);
        if (again) {
            listeners.forEach(listener -> listener.onRelist(kind, uids));
        }
        told = true;
        relisted(listed);
        KubeApi.Watch opened = part == null ? api.watch(kind, listed, view) : api.watch(kind, part, listed, view);
        watch = opened;
        // Who asked for progress while there was no watch to wake gets it from the first step; close() likewise.
        if (asked) {
            asked = false;
            opened.wake();
        }
        if (isClosed()) {
            drop();
        }
    }

    private void tell(ObjectNode object, boolean deleted) {
        told = true;
        listeners.forEach(listener -> listener.onChange(kind, object, deleted));
    }

    /** Not merely the maximum: a server that was put back to an older state counts on from there. */
    private synchronized void relisted(long listed) {
        synced = true;
        revision = listed;
        notifyAll();
    }

    private synchronized void reach(long reached) {
        revision = Math.max(revision, reached);
        notifyAll();
    }

    private void drop() {
        KubeApi.Watch current = watch;
        watch = null;
        if (current != null) {
            current.close();
        }
    }

    synchronized boolean isSynced() {
        return synced;
    }

    synchronized boolean hasReached(long wanted) {
        return revision >= wanted;
    }

    /** Makes it tell how far it got. */
    void wake() {
        asked = true;
        KubeApi.Watch current = watch;
        if (current != null) {
            asked = false;
            current.wake();
        }
    }

    /** Waits until everything up to a revision has been told; false if that takes too long. */
    synchronized boolean awaitRevision(long wanted, long deadlineNanos) throws InterruptedException {
        while (revision < wanted && !isClosed()) {
            long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return revision >= wanted;
    }

    /** Waits until everything that existed at first has been told; false if it was closed before. */
    synchronized boolean awaitSync() throws InterruptedException {
        while (!synced && !isClosed()) {
            wait();
        }
        return synced;
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    void close() {
        closed.countDown();
        KubeApi.Watch current = watch;
        if (current != null) {
            current.close();
        }
        synchronized (this) {
            notifyAll();
        }
    }
}
