package lavaflow.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of JSON lines that is put aside when it has grown, with a bound on how many such files are kept.
 *
 * <p>One thread owns the file. In mode {@link Mode#BATCH} requests only put their event into a bounded queue and never wait:
 * where the disk is slower than the clients, events are lost, counted and complained about once a second. The blocking modes
 * wait until the event is written, and the strict one refuses requests whose event is lost.
 */
public final class AuditFile implements AuditSink, AutoCloseable {
    /** What happens between a request and the file; upstream's {@code --audit-log-mode}. */
    public enum Mode {
        BATCH,
        BLOCKING,
        BLOCKING_STRICT
    }

    /**
     * Bounds of the file.
     *
     * @param maxBytes size at which it is put aside
     * @param maxBackups how many of those are kept, 0 for all
     */
    public record Bounds(long maxBytes, int maxBackups, int queuedEvents) {
        /** Upstream's: 100 megabytes, all files, ten thousand events. */
        public static final Bounds DEFAULT = new Bounds(100L << 20, 0, 10_000);
    }

    private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss.SSS").withZone(ZoneOffset.UTC);

    private static final int BATCH_EVENTS = 400;

    private static final class Line {
        final byte[] bytes;
        final CountDownLatch done = new CountDownLatch(1);
        volatile boolean lost;

        Line(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    /** Nothing comes after it. An interrupt would close the file under the hands of its thread. */
    private static final Line LAST = new Line(new byte[0]);

    private final Path path;
    private final Mode mode;
    private final Bounds bounds;
    private final InstantSource clock;
    private final BlockingQueue<Line> queue;
    private final LongAdder written = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final Thread thread;
    private volatile boolean closing;
    private FileChannel channel;
    private long size;
    private Instant lastComplaint = Instant.EPOCH;

    public AuditFile(Path path, Mode mode, Bounds bounds, InstantSource clock) throws IOException {
        this.path = path.toAbsolutePath();
        this.mode = mode;
        this.bounds = bounds;
        this.clock = clock;
        this.queue = new ArrayBlockingQueue<>(bounds.queuedEvents());
        this.channel = open();
        this.size = channel.size();
        this.thread = Thread.ofPlatform().name("audit").daemon().start(this::drain);
    }

    /** Only its owner may read it: it can hold what requests carried. */
    private FileChannel open() throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (!Files.exists(path)) {
            if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.createFile(
                        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } else {
                Files.createFile(path);
            }
        }
        return FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    @Override
    public boolean accept(byte[] line) {
        Line entry = new Line(line);
        if (mode == Mode.BATCH) {
            if (closing || !queue.offer(entry)) {
                lost.increment();
            }
            return true;
        }
        try {
            queue.put(entry);
            while (!entry.done.await(1, TimeUnit.SECONDS)) {
                if (!thread.isAlive()) {
                    lost.increment();
                    return mode == Mode.BLOCKING;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return mode == Mode.BLOCKING;
        }
        return mode == Mode.BLOCKING || !entry.lost;
    }

    /** Events in the file so far. */
    public long written() {
        return written.sum();
    }

    /** Events that did not make it. */
    public long lost() {
        return lost.sum();
    }

    private void drain() {
        List<Line> batch = new ArrayList<>();
        try {
            while (!batch.contains(LAST)) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch, BATCH_EVENTS - 1);
                write(batch);
            }
        } catch (InterruptedException e) {
            LOG.error("the audit log stops: its thread was interrupted");
        }
    }

    private void write(List<Line> batch) {
        for (Line line : batch) {
            if (line == LAST) {
                return;
            }
            try {
                append(line.bytes);
                written.increment();
            } catch (IOException e) {
                line.lost = true;
                lost.increment();
                complain(e);
            } finally {
                line.done.countDown();
            }
        }
    }

    private void append(byte[] bytes) throws IOException {
        if (size > 0 && size + bytes.length + 1 > bounds.maxBytes()) {
            rotate();
        }
        ByteBuffer[] parts = {ByteBuffer.wrap(bytes), ByteBuffer.wrap(new byte[] {'\n'})};
        while (parts[1].hasRemaining()) {
            size += channel.write(parts);
        }
    }

    private void complain(IOException failure) {
        Instant now = clock.instant();
        if (now.isAfter(lastComplaint.plusSeconds(1))) {
            lastComplaint = now;
            LOG.error("audit events are lost ({} so far): {}: {}", lost.sum(), path, failure.getMessage());
        }
    }

    private void rotate() throws IOException {
        channel.close();
        try {
            Files.move(path, aside(clock.instant()));
        } finally {
            channel = open();
            size = channel.size();
        }
        if (bounds.maxBackups() > 0) {
            List<Path> old = putAside();
            for (Path file : old.subList(0, Math.max(0, old.size() - bounds.maxBackups()))) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Never the name of a file that is there: two may be put aside within a millisecond. */
    private Path aside(Instant time) {
        Path free = path.resolveSibling(prefix() + STAMP.format(time) + suffix());
        return Files.exists(free) ? aside(time.plusMillis(1)) : free;
    }

    private String prefix() {
        String name = String.valueOf(path.getFileName());
        return name.substring(0, name.length() - suffix().length()) + "-";
    }

    private String suffix() {
        String name = String.valueOf(path.getFileName());
        int dot = name.lastIndexOf('.');
        return dot < 0 ? "" : name.substring(dot);
    }

    /** The files put aside, oldest first: their names sort by time. */
    private List<Path> putAside() throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            return List.of();
        }
        String stamped = java.util.regex.Pattern.quote(prefix()) + "\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}"
                + java.util.regex.Pattern.quote(suffix());
        try (Stream<Path> files = Files.list(parent)) {
            return files.filter(file -> String.valueOf(file.getFileName()).matches(stamped))
                    .sorted()
                    .toList();
        }
    }

    /** Writes what was taken, then closes the file. */
    @Override
    public void close() throws IOException {
        closing = true;
        try {
            queue.put(LAST);
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        channel.close();
    }
}
