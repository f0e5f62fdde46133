package lavaflow.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A watch that outlives its connections: when one ends, is cut or falls silent, the next one goes on where it stopped. It
 * fails only where the server refuses to go on from there.
 *
 * <p>Has no thread of its own: bytes come on the client's threads, everything else happens within {@link #next}.
 */
final class RemoteWatch implements KubeApi.Watch {
    static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    static final Duration LAST_PAUSE = Duration.ofSeconds(30);
    /** Servers send a bookmark every minute; who misses two of them talks to nobody. */
    static final Duration SILENCE = Duration.ofSeconds(150);
    /** A watch that held so long was a good one. */
    private static final Duration GOOD = Duration.ofSeconds(5);
    /** As many events may wait for their reader; the server waits with the rest. */
    static final int READ_AHEAD = 1000;

    /** Where a watch gets its events. */
    interface Source {
        Streams.Stream open(long after, Streams.Listener listener);

        /** An object as the reader wants to see it. */
        ObjectNode shown(ObjectNode object);

        /** The newest revision of the server, read without a cache. */
        long currentRevision();
    }

    private final Source source;
    private final LongSupplier nanoTime;
    private List<KubeApi.Event> events = new ArrayList<>();
    private @Nullable Attempt attempt;
    private @Nullable ApiException failure;
    /** Where to go on: the last event or bookmark. */
    private long revision;
    /** How far the server was when nothing was under way any more; good for telling, not for going on. */
    private long settled;

    private long reopenAt;
    private Duration pause = FIRST_PAUSE;
    private final Progress progress = new Progress();
    private boolean woken;
    private boolean closed;

    RemoteWatch(Source source, long afterRevision, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
        this.revision = afterRevision;
        this.reopenAt = nanoTime.getAsLong();
    }

    /** One connection. What it tells after its end is not heard. */
    private final class Attempt implements Streams.Listener {
        private final Lines lines = new Lines();
        private final long openedAt;
        private long heardAt;
        private boolean opened;
        private boolean full;
        private Streams.@Nullable Stream stream;

        Attempt(long now) {
            this.openedAt = now;
            this.heardAt = now;
        }

        @Override
        public void opened() {
            synchronized (RemoteWatch.this) {
                opened = true;
            }
        }

        @Override
        public boolean bytes(byte[] chunk) {
            synchronized (RemoteWatch.this) {
                if (attempt != this) {
                    return false;
                }
                heardAt = nanoTime.getAsLong();
                try {
                    for (byte[] line : lines.add(chunk)) {
                        accept(Json.parseUntrusted(line));
                    }
                } catch (JsonProcessingException | IllegalStateException _) {
                    // Half an event of a connection that broke: the next one tells it whole.
                    cancel();
                    over(ApiException.internal("the watch told something that is no event"));
                    return false;
                }
                RemoteWatch.this.notifyAll();
                full = events.size() >= READ_AHEAD;
                return !full;
            }
        }

        @Override
        public void ended(@Nullable ApiException why) {
            synchronized (RemoteWatch.this) {
                if (attempt == this) {
                    over(why);
                }
            }
        }

        void cancel() {
            if (stream != null) {
                stream.cancel();
            }
        }
    }

    private void accept(JsonNode event) {
        if (failure != null || !(event.get("object") instanceof ObjectNode object)) {
            return;
        }
        String type = Json.textAt(event, "type");
        if (type.equals("ERROR")) {
            failure = ApiException.of(object);
            return;
        }
        revision = Math.max(revision, RemoteKubeApi.revision(Json.textAt(object, "metadata", "resourceVersion")));
        pause = FIRST_PAUSE;
        if (!type.equals("BOOKMARK")) {
            events.add(new KubeApi.Event(type.equals("DELETED"), source.shown(object)));
        }
    }

    /** A connection is over; decides when the next one begins, or that there is no going on. */
    private void over(@Nullable ApiException why) {
        Attempt last = attempt;
        attempt = null;
        long now = nanoTime.getAsLong();
        boolean good = last != null && now - last.openedAt >= GOOD.toNanos();
        if (why != null && !mayPass(why)) {
            failure = why;
        } else if (good && why == null) {
            pause = FIRST_PAUSE;
            reopenAt = now;
        } else {
            pause = good ? FIRST_PAUSE : pause;
            double jitter = 1 + ThreadLocalRandom.current().nextDouble();
            reopenAt = now + (long) (pause.toNanos() * jitter);
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
        }
        notifyAll();
    }

    /** A server that is down, starting or busy; but not one that never had this revision. */
    private static boolean mayPass(ApiException why) {
        for (JsonNode cause : Json.listAt(why.status(), "details", "causes")) {
            if (Json.textAt(cause, "reason").equals("ResourceVersionTooLarge")) {
                return false;
            }
        }
        return why.code() == 429 || why.code() >= 500;
    }

    @Override
    public synchronized KubeApi.Progress next(Duration timeout) throws InterruptedException {
        long deadline = nanoTime.getAsLong() + timeout.toNanos();
        while (true) {
            if (closed) {
                throw ApiException.of(503, "ServiceUnavailable", "the watch is closed");
            }
            if (!events.isEmpty()) {
                return drain();
            }
            if (failure != null) {
                throw failure;
            }
            long now = nanoTime.getAsLong();
            long until = keepOpen(now);
            if (woken || deadline - now <= 0) {
                woken = false;
                return new KubeApi.Progress(List.of(), reached());
            }
            long nanos = Math.min(until - now, deadline - now);
            wait(nanos / 1_000_000 + 1);
        }
    }

    private long reached() {
        return Math.max(revision, settled);
    }

    private KubeApi.Progress drain() {
        List<KubeApi.Event> drained = events;
        events = new ArrayList<>();
        Attempt current = attempt;
        if (current != null && current.full && current.stream != null) {
            current.full = false;
            current.stream.more();
        }
        return new KubeApi.Progress(drained, reached());
    }

    /** Opens the next connection when it is time for it; returns when to look again. */
    private long keepOpen(long now) {
        Attempt current = attempt;
        if (current != null && now - current.heardAt >= SILENCE.toNanos()) {
            current.cancel();
            attempt = null;
            current = null;
            reopenAt = now;
        }
        if (current == null) {
            if (reopenAt - now > 0) {
                return reopenAt;
            }
            current = new Attempt(now);
            attempt = current;
            current.stream = source.open(revision, current);
            if (attempt != current) {
                // It ended before we knew it.
                return reopenAt;
            }
        }
        return current.heardAt + SILENCE.toNanos();
    }

    @Override
    public synchronized void wake() {
        woken = true;
        notifyAll();
        progress.ask();
    }

    /**
     * Finds out how far a quiet watch got, which the server tells only once a minute. A read that is no older than the
     * question says how far the server was; a moment later everything up to there is with us, as far as anybody can tell.
     * Somebody who wrote a moment ago and waits to see that needs no asking: it arrives by itself.
     */
    private final class Progress {
        private static final Duration PATIENCE = Duration.ofMillis(200);
        private static final Duration UNDER_WAY = Duration.ofMillis(100);
        private static final int ROUNDS = 5;
        private static final int ATTEMPTS = 50;

        private boolean asking;

        /** Guarded by the watch. */
        void ask() {
            if (!asking && !closed) {
                asking = true;
                Thread.ofVirtual().name("watch-progress").start(this::find);
            }
        }

        private void find() {
            try {
                for (int i = 0; i < ATTEMPTS && !isSettled(); i++) {
                    Thread.sleep(PATIENCE);
                }
            } catch (ApiException _) {
                // Asked again by the next who wants to know.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                over();
            }
        }

        /** The connection must have been there before the question and still be there after the answer. */
        private boolean isSettled() throws InterruptedException {
            awaitQuiet();
            Attempt before = established();
            if (before == null) {
                return isClosed();
            }
            long current = source.currentRevision();
            Thread.sleep(UNDER_WAY);
            synchronized (RemoteWatch.this) {
                if (attempt == before) {
                    settled = Math.max(settled, current);
                }
                return attempt == before;
            }
        }

        private void awaitQuiet() throws InterruptedException {
            long seen = -1;
            for (int round = 0; round < ROUNDS && seen != lastRevision(); round++) {
                seen = lastRevision();
                Thread.sleep(PATIENCE);
            }
        }

        private void over() {
            synchronized (RemoteWatch.this) {
                asking = false;
                woken = true;
                RemoteWatch.this.notifyAll();
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized @Nullable Attempt established() {
        return attempt != null && attempt.opened ? attempt : null;
    }

    private synchronized long lastRevision() {
        return revision;
    }

    @Override
    public synchronized void close() {
        closed = true;
        Attempt current = attempt;
        attempt = null;
        if (current != null) {
            current.cancel();
        }
        events = List.of();
        notifyAll();
    }
}
