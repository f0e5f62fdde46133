package lavaflow.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the log: appends frames to the newest segment and starts a new one when it is full. Used by the writer,
 * except where noted.
 *
 * <p>Segments are filled with zeros in advance, off the writer's thread: an fsync that need not grow the file takes about
 * half the time.
 */
final class Log {

    /** What is on disk is no longer known; only a restart, which reads it, can tell. */
    static final class BrokenException extends IOException {
        BrokenException(String message, IOException cause) {
            super(message, cause);
        }
    }

    private record Prepared(Disk.File file, Path path, long size) {}

    private static final Logger logger = LoggerFactory.getLogger(Log.class);
    private static final int FIRST_SEGMENT_BYTES = 1 << 20;
    private static final int ZEROS_BYTES = 1 << 20;

    private final Layout layout;
    private final Disk disk;
    private final UUID id;
    private final long segmentBytes;
    private final Executor background;
    private final AtomicReference<@Nullable Prepared> prepared = new AtomicReference<>();
    private final AtomicLong written = new AtomicLong();

    /** The revisions after which the segments start, the newest one last. Guarded by itself. */
    private final ArrayDeque<Long> bases = new ArrayDeque<>();

    private int prepareCount;
    private boolean prepareWanted = true;
    private volatile boolean preparing;
    private Disk.File file;
    private long base;
    private long end;
    private long fullAt;
    private long last;

    private Log(Layout layout, UUID id, StoreOptions options, Executor background, Prepared first, long last) {
        this.layout = layout;
        this.disk = options.disk();
        this.id = id;
        this.segmentBytes = options.segmentBytes();
        this.background = background;
        this.file = first.file();
        this.fullAt = first.size();
        this.last = last;
    }

    /** Starts the first segment of a directory that has none. */
    static Log create(Layout layout, UUID id, long revision, StoreOptions options, Executor background)
            throws IOException {
        Path path = layout.path("first-segment" + Layout.TEMPORARY);
        Prepared first = new Prepared(options.disk().create(path), path, firstSegmentBytes(options));
        fillWithZeros(first.file(), first.size());
        Log log = new Log(layout, id, options, background, first, revision);
        log.begin(first);
        return log;
    }

    /** Continues the segments that were recovered, and makes what was read of them durable. */
    static Log resume(Layout layout, UUID id, Recovery.Tail tail, StoreOptions options, Executor background)
            throws IOException {
        Path path = layout.segment(tail.bases().getLast());
        Disk.File file = options.disk().open(path, true);
        if (tail.cut()) {
            file.truncate(tail.end());
        }
        file.force(true);
        long size = Math.max(file.size(), firstSegmentBytes(options));
        Log log = new Log(layout, id, options, background, new Prepared(file, path, size), tail.revision());
        log.base = tail.bases().getLast();
        log.end = tail.end();
        log.bases.addAll(tail.bases());
        log.written.set(tail.bytes());
        return log;
    }

    private static long firstSegmentBytes(StoreOptions options) {
        return Math.min(FIRST_SEGMENT_BYTES, options.segmentBytes());
    }

    /** Bytes written since the last snapshot. Any thread. */
    long written() {
        return written.get();
    }

    /** The last revision in the log. */
    long last() {
        return last;
    }

    /**
     * Writes a frame behind the last one. When that fails the log is as before, unless a {@link BrokenException} says
     * that it could not be put back.
     */
    void append(ByteBuffer frame, long lastRevision) throws IOException {
        int bytes = frame.remaining();
        try {
            file.write(frame, end);
        } catch (IOException e) {
            takeBack(e);
            throw e;
        }
        end += bytes;
        last = lastRevision;
        written.addAndGet(bytes);
        if (prepareWanted && end > fullAt / 2) {
            prepareWanted = false;
            preparing = true;
            Path path = layout.path("segment-" + prepareCount++ + Layout.TEMPORARY);
            background.execute(() -> prepare(path));
        }
    }

    private void takeBack(IOException cause) throws BrokenException {
        try {
            file.truncate(end);
            file.force(true);
        } catch (IOException e) {
            cause.addSuppressed(e);
            throw new BrokenException("a failed write could not be taken back (" + e.getMessage() + ")", cause);
        }
    }

    void sync() throws BrokenException {
        try {
            file.force(false);
        } catch (IOException e) {
            throw new BrokenException("fsync failed (" + e.getMessage() + ")", e);
        }
    }

    /** Starts a new segment if the newest one is full; returns whether, and then all before it is on disk. */
    boolean rollWhenFull() throws IOException {
        if (end < fullAt || last == base) { // a segment without a revision would give the next one its own name
            return false;
        }
        try {
            file.truncate(end);
            file.force(true);
        } catch (IOException e) {
            throw new BrokenException("fsync failed (" + e.getMessage() + ")", e);
        }
        Prepared next = prepared.getAndSet(null);
        if (next == null) {
            Path path = layout.path("segment-" + prepareCount++ + Layout.TEMPORARY);
            next = new Prepared(disk.create(path), path, segmentBytes);
        }
        Disk.File full = file;
        begin(next);
        full.close();
        prepareWanted = !preparing; // one that comes too late for this segment serves the next
        return true;
    }

    /** Turns a prepared file into the segment that follows the last revision. */
    private void begin(Prepared next) throws IOException {
        try {
            next.file().write(new FileHeader(FileHeader.Type.SEGMENT, id, last).encode(), 0);
            next.file().force(true);
        } catch (IOException e) {
            discard(next);
            throw e;
        }
        Path path = layout.segment(last);
        try {
            disk.rename(next.path(), path);
            disk.forceDirectory(layout.directory());
        } catch (IOException e) {
            throw new BrokenException("starting " + path.getFileName() + " failed (" + e.getMessage() + ")", e);
        }
        synchronized (bases) {
            bases.addLast(last);
        }
        file = next.file();
        base = last;
        end = FileHeader.BYTES;
        fullAt = next.size();
    }

    /** Runs in the background. */
    private void prepare(Path path) {
        try {
            Prepared next = new Prepared(disk.create(path), path, segmentBytes);
            try {
                fillWithZeros(next.file(), segmentBytes);
                next.file().force(true);
                prepared.set(next);
            } catch (IOException e) {
                discard(next);
                throw e;
            }
        } catch (IOException e) {
            logger.warn("Preparing the next log segment in {} failed, going on without: {}", layout, e.getMessage());
        } finally {
            preparing = false;
        }
    }

    private void discard(Prepared unused) throws IOException {
        unused.file().close();
        disk.delete(unused.path());
    }

    private static void fillWithZeros(Disk.File file, long size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS_BYTES, size));
        for (long at = 0; at < size; at += zeros.capacity()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
            file.write(zeros, at);
        }
    }

    /** Deletes the segments that a snapshot at a revision made superfluous. Any thread. */
    void deleteThrough(long revision, long bytes) throws IOException {
        written.addAndGet(-bytes);
        synchronized (bases) {
            while (bases.size() > 1) {
                long first = bases.removeFirst();
                if (bases.getFirst() > revision) {
                    bases.addFirst(first);
                    return;
                }
                disk.delete(layout.segment(first));
            }
        }
    }

    /** Closes the files; the background must be idle. */
    void close() throws IOException {
        Prepared unused = prepared.getAndSet(null);
        if (unused != null) {
            try {
                discard(unused);
            } catch (IOException e) {
                logger.debug("{} stays until the next start: {}", unused.path(), e.getMessage());
            }
        }
        file.close();
    }
}
