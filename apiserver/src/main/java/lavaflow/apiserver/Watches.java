package lavaflow.apiserver;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.PrintedForm;
import lavaflow.store.Change;
import lavaflow.store.CompactedException;
import lavaflow.store.Cursor;
import lavaflow.store.LaggedException;
import lavaflow.store.Progress;
import lavaflow.store.Snapshot;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Streams changes to clients, each on its own virtual thread, until they leave, time out or the server stops. */
final class Watches {
    private static final Duration BOOKMARK_INTERVAL = Duration.ofMinutes(1);
    private static final Duration LAST_BOOKMARK = Duration.ofSeconds(2);
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);
    private static final int MIN_TIMEOUT_SECONDS = 1800;

    private final Store store;
    private final ResourceTable table;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Set<Cursor> open = ConcurrentHashMap.newKeySet();
    private final Alarms alarms = new Alarms();
    private volatile boolean closed;

    Watches(Store store, ResourceTable table, InstantSource clock, RandomGenerator random) {
        this.store = store;
        this.table = table;
        this.clock = clock;
        this.random = random;
    }

    /** What a watch request asks for. */
    record Request(
            Resource resource,
            String namespace,
            ListOptions options,
            Negotiation.Choice choice,
            Rendering.IncludeObject include) {}

    /** How many watches are being served. */
    int count() {
        return open.size();
    }

    /** Ends every watch cleanly and takes no new ones. */
    void close() {
        closed = true;
        open.forEach(Cursor::close);
        alarms.close();
    }

    void serve(Exchange exchange, Request request) throws IOException {
        Filter filter = new Filter(
                request.resource(),
                request.options().labels(),
                request.options().fields());
        if (exchange.wantsWebSocket()) {
            exchange.upgrade(
                    java.util.List.of("v4.channel.k8s.io"),
                    socket -> new Stream(request, filter, new SocketFrames(socket)).run());
            return;
        }
        try (OutputStream out = exchange.stream(200, request.choice().mediaType())) {
            out.flush();
            new Stream(request, filter, new LineFrames(out, exchange)).run();
        }
    }

    /** Where events go. */
    private interface Frames {
        void event(String type, byte[] object) throws IOException;

        void flush() throws IOException;

        /** False when the client is known to be gone; called now and then while there is nothing to send. */
        boolean isOpen() throws IOException;

        /** Runs when the client leaves. */
        void onLeave(Runnable action);
    }

    /**
     * One event a line. What came in one go leaves in one write: each write is a chunk, a TLS record and a system call. The buffer lives only
     * from the first event to the flush, so that a thousand quiet watches hold none.
     */
    private static final class LineFrames implements Frames {
        private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] NOTHING = {};
        private static final int FULL = 64 * 1024;

        private final OutputStream out;
        private final Exchange exchange;
        private byte[] pending = NOTHING;
        private int used;

        LineFrames(OutputStream out, Exchange exchange) {
            this.out = out;
            this.exchange = exchange;
        }

        @Override
        public void event(String type, byte[] object) throws IOException {
            byte[] start = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.ISO_8859_1);
            int length = start.length + object.length + END.length;
            if (used + length > FULL) {
                flush();
            }
            if (used + length > pending.length) {
                pending = Arrays.copyOf(pending, Math.max(used + length, Math.min(FULL, 2 * used)));
            }
            append(start);
            append(object);
            append(END);
        }

        private void append(byte[] bytes) {
            System.arraycopy(bytes, 0, pending, used, bytes.length);
            used += bytes.length;
        }

        @Override
        public void flush() throws IOException {
            if (used > 0) {
                byte[] full = pending;
                int length = used;
                pending = NOTHING;
                used = 0;
                out.write(full, 0, length);
            }
        }

        @Override
        public boolean isOpen() throws IOException {
            exchange.requireClient();
            return true;
        }

        @Override
        public void onLeave(Runnable action) {
            exchange.onAbort(action);
        }
    }

    private record SocketFrames(Exchange.TextSocket socket) implements Frames {
        @Override
        public void event(String type, byte[] object) throws IOException {
            socket.send("{\"type\":\"" + type + "\",\"object\":" + new String(object, StandardCharsets.UTF_8) + "}");
        }

        @Override
        public void flush() {}

        @Override
        public boolean isOpen() {
            return socket.isOpen();
        }

        @Override
        public void onLeave(Runnable action) {
            socket.onClose(action);
        }
    }

    /** One watch from its first event to its end. */
    private final class Stream {
        private final Request request;
        private Filter filter;
        /** A custom kind may change while it is watched. */
        private Resource resource;

        private final Frames frames;
        private final long endNanos;
        private long nextBookmarkNanos;
        private boolean columnsSent;

        Stream(Request request, Filter filter, Frames frames) {
            this.request = request;
            this.filter = filter;
            this.resource = request.resource();
            this.frames = frames;
            Duration timeout = request.options().timeout();
            Duration life = timeout != null
                    ? timeout
                    : Duration.ofSeconds(MIN_TIMEOUT_SECONDS + random.nextInt(MIN_TIMEOUT_SECONDS));
            long now = System.nanoTime();
            this.endNanos = now + life.toNanos();
            this.nextBookmarkNanos = now + BOOKMARK_INTERVAL.toNanos();
        }

        void run() throws IOException {
            Reads.Range range = Reads.Range.of(resource, request.namespace());
            Cursor cursor;
            try {
                long after = begin(range);
                cursor = store.watch(resource.bucket(), range.from(), range.to(), after);
            } catch (CompactedException e) {
                error(ApiException.expired(
                        "too old resource version: " + e.requestedRevision() + " (" + e.compactedRevision() + ")"));
                return;
            }
            open.add(cursor);
            frames.onLeave(cursor::close);
            try (Alarms.Alarm alarm = alarms.add(cursor::wake)) {
                follow(cursor, alarm);
            } catch (LaggedException e) {
                error(ApiException.expired(
                        "too old resource version: " + e.deliveredRevision() + " (" + store.compactedRevision() + ")"));
            } catch (CancellationException e) {
                // The client left or the server stops: either way the stream ends here, in order.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                open.remove(cursor);
                cursor.close();
            }
        }

        /** Sends the initial state where one is wanted; returns the revision after which changes follow. */
        private long begin(Reads.Range range) throws IOException {
            ListOptions options = request.options();
            Long asked = options.resourceVersion();
            boolean initial = options.sendInitialEvents();
            if (asked != null && asked > 0 && !initial) {
                return asked;
            }
            if (!initial && options.match().equals("NotOlderThan")) {
                return store.revision();
            }
            Snapshot snapshot = store.snapshot();
            for (StoredObject stored : snapshot.scan(resource.bucket(), range.from(), range.to())) {
                if (filter.matches(stored)) {
                    frames.event("ADDED", bytes(stored));
                }
            }
            if (initial && options.bookmarks()) {
                bookmark(snapshot.revision(), true);
            }
            frames.flush();
            return snapshot.revision();
        }

        private void follow(Cursor cursor, Alarms.Alarm alarm) throws IOException, InterruptedException {
            boolean lastBookmarkSent = false;
            long lastSeen = 0;
            boolean quiet = false;
            boolean served = true;
            while (!closed && (!quiet || frames.isOpen())) {
                long now = System.nanoTime();
                long wait = Math.min(endNanos, nextBookmarkNanos) - now;
                if (!lastBookmarkSent) {
                    wait = Math.min(wait, Math.max(endNanos - LAST_BOOKMARK.toNanos() - now, 1_000_000));
                }
                boolean last = !served;
                alarm.set(now + (last ? 0 : Math.min(wait, LOOK_INTERVAL.toNanos())));
                Progress progress = cursor.poll();
                if (cursor.isClosed()) {
                    return;
                }
                served = refresh();
                for (Change change : progress.changes()) {
                    send(change);
                }
                quiet = progress.changes().isEmpty();
                lastSeen = progress.revision();
                if (request.options().bookmarks()) {
                    long after = System.nanoTime();
                    boolean ending = !lastBookmarkSent && after >= endNanos - LAST_BOOKMARK.toNanos();
                    if (ending || after >= nextBookmarkNanos) {
                        bookmark(lastSeen, false);
                        nextBookmarkNanos = after + BOOKMARK_INTERVAL.toNanos();
                        lastBookmarkSent |= ending;
                    }
                } else {
                    lastBookmarkSent = true;
                    nextBookmarkNanos = endNanos;
                }
                frames.flush();
                // Whoever comes from the past hears of it, however late it is; and the last objects of a kind go before
                // the kind.
                if (System.nanoTime() >= endNanos || (last && quiet)) {
                    return;
                }
            }
        }

        /** Shows the following changes as the definition of a custom kind says now; false if it is not served any more. */
        private boolean refresh() {
            if (resource.custom() == null) {
                return true;
            }
            Resource now = table.find(resource.group(), resource.info().version(), resource.name());
            if (now == null || now.custom() == null) {
                return false;
            }
            if (now.custom() != resource.custom()) {
                resource = now;
                filter = new Filter(
                        now, request.options().labels(), request.options().fields());
            }
            return true;
        }

        private void send(Change change) throws IOException {
            StoredObject current = change.object();
            StoredObject previous = change.previous();
            boolean before = previous != null && filter.matches(previous);
            if (change.deleted()) {
                if (before || (previous == null && filter.matches(current))) {
                    frames.event("DELETED", bytes(current));
                }
                return;
            }
            boolean now = filter.matches(current);
            if (now) {
                frames.event(before ? "MODIFIED" : "ADDED", bytes(current));
            } else if (before && previous != null) {
                frames.event("DELETED", departed(previous, current.revision()));
            }
        }

        /** An object that left the selector: its last matching state under the revision at which it left. */
        private byte[] departed(StoredObject previous, long revision) {
            ObjectNode object = resource.read(previous);
            Metadata.of(object).put("resourceVersion", Long.toString(revision));
            return rendered(object);
        }

        private byte[] bytes(StoredObject stored) {
            return request.choice().form() == Negotiation.Form.OBJECT
                    ? resource.bytes(stored)
                    : rendered(resource.read(stored));
        }

        private byte[] rendered(ObjectNode object) {
            if (request.choice().form() == Negotiation.Form.TABLE) {
                ObjectNode table = Rendering.table(
                        resource,
                        java.util.List.of(object),
                        request.choice().version(),
                        request.include(),
                        clock.instant(),
                        !columnsSent);
                Json.ensureObject(table, "metadata").put("resourceVersion", Metadata.resourceVersion(object));
                columnsSent = true;
                return Json.bytes(table);
            }
            return Json.bytes(Rendering.object(resource, object, request.choice(), request.include(), clock.instant()));
        }

        private void bookmark(long revision, boolean initialEventsEnd) throws IOException {
            ObjectNode object = Json.object();
            object.put("kind", resource.info().kind());
            object.put("apiVersion", resource.info().apiVersion());
            ObjectNode metadata = object.putObject("metadata");
            metadata.put("resourceVersion", Long.toString(revision));
            if (initialEventsEnd) {
                metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
            }
            if (resource.custom() == null) {
                PrintedForm.restore(resource.types(), resource.info().struct(), object);
            }
            frames.event("BOOKMARK", bookmarkBytes(object));
        }

        private byte[] bookmarkBytes(ObjectNode object) {
            return switch (request.choice().form()) {
                case OBJECT -> Json.bytes(object);
                case METADATA, METADATA_LIST ->
                    Json.bytes(Rendering.partial(object, request.choice().version()));
                case TABLE -> rendered(object);
            };
        }

        private void error(ApiException failure) throws IOException {
            frames.event("ERROR", Json.bytes(failure.status()));
            frames.flush();
        }
    }
}
