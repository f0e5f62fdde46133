package lavaflow.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A durable map from (bucket, key) to JSON, in which every mutation has a revision and the recent past can be read and
 * watched. It does for one process what etcd does for an API server.
 *
 * <p>All methods may be called from any thread. Mutations are committed by one writer thread in the order of their
 * revisions: durable first, then visible, then acknowledged. Reads take no lock and do no I/O; everything live is in
 * memory.
 */
public final class Store implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Store.class);
    private static final int MAX_NAME_BYTES = 4_096;

    private final Index index;
    private final History history;
    private final StoreOptions options;
    private final Writer writer;
    private final Notifier notifier;
    private final Log log;
    private final Housekeeping housekeeping;
    private final Closeable lock;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Store(
            Index index,
            History history,
            StoreOptions options,
            Writer writer,
            Notifier notifier,
            Log log,
            Housekeeping housekeeping,
            Closeable lock) {
        this.index = index;
        this.history = history;
        this.options = options;
        this.writer = writer;
        this.notifier = notifier;
        this.log = log;
        this.housekeeping = housekeeping;
        this.lock = lock;
    }

    /**
     * Opens a directory, which is made if it does not exist, and reads everything in it.
     *
     * @throws CorruptStoreException when data that had been on disk is damaged or missing
     * @throws UnsupportedFormatException when a newer program wrote the directory
     * @throws IOException when another process has the directory open, or reading fails
     */
    public static Store open(Path directory, StoreOptions options) throws IOException {
        return open(directory, options, Housekeeping.background());
    }

    static Store open(Path directory, StoreOptions options, ExecutorService background) throws IOException {
        Disk disk = options.disk();
        Layout layout = new Layout(directory.toAbsolutePath());
        createDirectory(disk, layout);
        Closeable lock = disk.lock(layout.lock());
        try {
            return open(layout, options, lock, background);
        } catch (IOException | RuntimeException e) {
            background.shutdown();
            lock.close();
            throw e;
        }
    }

    private static void createDirectory(Disk disk, Layout layout) throws IOException {
        disk.createDirectories(layout.directory());
        Path parent = layout.directory().getParent();
        if (parent != null && disk.list(layout.directory()).isEmpty()) {
            try {
                disk.forceDirectory(parent);
            } catch (IOException e) {
                logger.warn("A power failure could lose the new directory {}: {}", layout, e.getMessage());
            }
        }
    }

    private static Store open(Layout layout, StoreOptions options, Closeable lock, ExecutorService background)
            throws IOException {
        Index index = new Index();
        History history = new History(index, options);
        Recovery.Found found = new Recovery(
                        layout, options.disk(), index, history, options.clock().millis())
                .run();
        for (Path file : found.superfluous()) {
            options.disk().delete(file);
        }
        Housekeeping housekeeping = new Housekeeping(layout, found.id(), index, options, background);
        Recovery.Tail tail = found.tail();
        Log log = tail == null
                ? Log.create(layout, found.id(), found.revision(), options, housekeeping)
                : Log.resume(layout, found.id(), tail, options, housekeeping);
        Notifier notifier = new Notifier(index);
        Writer writer = new Writer(
                index,
                history,
                log,
                notifier,
                new FrameEncoder(found.id()),
                options,
                layout.toString(),
                housekeeping::afterBatch);
        housekeeping.start(log, writer);
        writer.start();
        return new Store(index, history, options, writer, notifier, log, housekeeping, lock);
    }

    /**
     * Applies a mutation and waits until it is committed.
     *
     * @throws StoreUnavailableException when it could not be committed
     */
    public Outcome commit(Mutation mutation) {
        try {
            return submit(mutation).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreUnavailableException unavailable) {
                // A new one, because the trace should show who waited, and several may share the cause.
                throw new StoreUnavailableException(String.valueOf(unavailable.getMessage()), unavailable);
            }
            throw e;
        }
    }

    /**
     * Applies a mutation. Mutations submitted by one thread are applied in that order. What depends on the result runs on
     * the writer's thread unless it is attached with an {@code Async} method: do nothing slow there.
     */
    public CompletableFuture<Outcome> submit(Mutation mutation) {
        requireFits(mutation.bucket().length(), MAX_NAME_BYTES / 3, "bucket name", mutation);
        requireFits(mutation.key().length(), MAX_NAME_BYTES / 3, "key", mutation);
        requireFits(mutation.content().bytes().length, options.valueBytes(), "object", mutation);
        return writer.submit(mutation);
    }

    private static void requireFits(int length, int most, String what, Mutation mutation) {
        if (length > most) {
            throw new IllegalArgumentException("the " + what + " of " + mutation.bucket() + " " + mutation.key()
                    + " is too long: " + length + ", at most " + most);
        }
    }

    /** The newest committed revision. */
    public long revision() {
        return index.visible();
    }

    /** The oldest revision that can be read, and after which one can watch. */
    public long compactedRevision() {
        return index.compacted();
    }

    /**
     * When a bucket last changed, since the store was opened: what was made from a snapshot of this revision or a later one
     * is up to date. May run a moment ahead of {@link #revision}.
     */
    public long changed(String bucket) {
        Bucket found = index.find(bucket);
        return found == null ? 0 : found.changed();
    }

    /** The newest committed version. */
    public @Nullable StoredObject get(String bucket, String key) {
        Bucket found = index.find(bucket);
        if (found == null) {
            return null;
        }
        while (true) {
            long revision = index.visible();
            StoredObject version = found.at(key, revision);
            if (index.compacted() <= revision) {
                return version == null || version.deleted() ? null : version;
            }
            // The writer went on so fast that the revision is gone already: look again.
        }
    }

    /** The store as it is now. */
    public Snapshot snapshot() {
        return new Snapshot(index, index.visible());
    }

    /**
     * The store as it was.
     *
     * @throws CompactedException when the revision has left the history
     * @throws IllegalArgumentException when the revision is not there yet; see {@link #awaitRevision}
     */
    public Snapshot snapshot(long revision) {
        if (revision > index.visible()) {
            throw new IllegalArgumentException(
                    "revision " + revision + " is in the future, the newest is " + index.visible());
        }
        index.requireRetained(revision);
        return new Snapshot(index, revision);
    }

    /** Waits until a revision is committed; false when it is not in time. */
    public boolean awaitRevision(long revision, Duration timeout) throws InterruptedException {
        return index.visible() >= revision || notifier.await(revision, timeout);
    }

    /** How many objects a bucket has. */
    public long objects(String bucket) {
        Bucket found = index.find(bucket);
        return found == null ? 0 : found.objects();
    }

    /** The buckets that have objects. */
    public SortedSet<String> buckets() {
        TreeSet<String> names = new TreeSet<>();
        for (Bucket bucket : index.buckets.values()) {
            if (bucket.objects() > 0) {
                names.add(bucket.name);
            }
        }
        return names;
    }

    /**
     * Watches the keys from one (inclusive) to another (exclusive, null: to the end) for changes after a revision.
     *
     * @throws CompactedException when changes after that revision have left the history
     */
    public Cursor watch(String bucket, String fromKey, @Nullable String toKey, long afterRevision) {
        requireOpen();
        return new Cursor(this, index, index.bucket(bucket), fromKey, toKey, afterRevision);
    }

    /** Forgets the past up to a revision now, rather than when it expires. */
    public void compact(long revision) {
        if (revision > index.visible()) {
            throw new IllegalArgumentException(
                    "revision " + revision + " is in the future, the newest is " + index.visible());
        }
        writer.execute(() -> history.compact(revision)).join();
    }

    /**
     * Writes the store as it is now into one new file, while it goes on working.
     *
     * @throws java.nio.file.FileAlreadyExistsException when the file exists
     */
    public void backup(Path file) throws IOException {
        requireOpen();
        housekeeping.backup(file.toAbsolutePath());
    }

    /**
     * Makes a new directory out of a backup. The restored store continues far above the revision of the backup, so that
     * clients which saw later revisions of the lost store notice and list again instead of missing changes.
     *
     * @throws CorruptStoreException when the backup is damaged; the directory is not touched then
     * @throws java.nio.file.DirectoryNotEmptyException when there is something in the directory
     */
    public static void restore(Path file, Path emptyDirectory) throws IOException {
        Backup.restore(Disk.real(), file.toAbsolutePath(), new Layout(emptyDirectory.toAbsolutePath()));
    }

    public StoreStatistics statistics() {
        SortedMap<String, Long> objects = new TreeMap<>();
        long cursors = 0;
        for (Bucket bucket : index.buckets.values()) {
            if (bucket.objects() > 0) {
                objects.put(bucket.name, bucket.objects());
            }
            cursors += bucket.cursors.size();
        }
        return new StoreStatistics(
                index.visible(),
                index.compacted(),
                Collections.unmodifiableSortedMap(objects),
                index.liveBytes(),
                history.bytes(),
                history.events(),
                log.written(),
                writer.queued(),
                cursors,
                writer.batchSizes.read(),
                writer.fsyncSeconds.read());
    }

    boolean isOpen() {
        return writer.isOpen();
    }

    void requireOpen() {
        if (!writer.isOpen()) {
            throw new StoreUnavailableException("the store is closed");
        }
    }

    /** Commits what was submitted, refuses what comes after, and ends waiting polls. What was read can still be used. */
    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            writer.close();
            housekeeping.close();
            log.close();
        } finally {
            lock.close();
        }
    }
}
