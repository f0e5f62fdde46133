package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done beside the writer: preparing segments and writing snapshots, one after the other on a thread that exists
 * only while there is something to do.
 */
final class Housekeeping implements Executor, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Housekeeping.class);

    private final Layout layout;
    private final UUID id;
    private final Index index;
    private final StoreOptions options;
    private final ExecutorService executor;
    private final AtomicBoolean snapshotting = new AtomicBoolean();
    private @Nullable Log log;
    private @Nullable Writer writer;

    private volatile boolean closing;

    /** After a failed snapshot the next one is tried when the log has grown to this. */
    private volatile long retryBytes;

    Housekeeping(Layout layout, UUID id, Index index, StoreOptions options, ExecutorService executor) {
        this.layout = layout;
        this.id = id;
        this.index = index;
        this.options = options;
        this.executor = executor;
    }

    /** The executor that stores use outside of tests. */
    static ExecutorService background() {
        ThreadPoolExecutor background = new ThreadPoolExecutor(
                1,
                1,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("store-housekeeping").factory());
        background.allowCoreThreadTimeOut(true);
        return background;
    }

    /** The two that need this object before it can know them. */
    void start(Log startedLog, Writer startedWriter) {
        log = startedLog;
        writer = startedWriter;
    }

    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            logger.debug("The store is closing; housekeeping is left to the next start");
        }
    }

    /** Starts a snapshot when the log has grown enough since the last one. Called by the writer. */
    void afterBatch() {
        Log current = log;
        if (current == null || current.written() <= Math.max(options.snapshotBytes(), retryBytes)) {
            return;
        }
        if (current.written() > index.liveBytes() && snapshotting.compareAndSet(false, true)) {
            execute(this::writeSnapshot);
        }
    }

    private void writeSnapshot() {
        Log target = log;
        Writer source = writer;
        if (target == null || source == null || closing) {
            return;
        }
        long bytes = target.written();
        Path temporary = layout.path("snapshot" + Layout.TEMPORARY);
        try {
            SnapshotFile.Contents contents = SnapshotFile.Contents.collect(index);
            // A snapshot must not be newer than the log: recovery takes a shorter log for damage.
            source.execute(source::syncNow).join();
            Disk disk = options.disk();
            disk.delete(temporary);
            SnapshotFile.write(disk, temporary, id, contents);
            disk.rename(temporary, layout.snapshot(contents.revision()));
            disk.forceDirectory(layout.directory());
            target.deleteThrough(contents.revision(), bytes);
            for (long older : Layout.snapshotRevisions(disk.list(layout.directory()))) {
                if (older < contents.revision()) {
                    disk.delete(layout.snapshot(older));
                }
            }
            retryBytes = 0;
        } catch (IOException | RuntimeException e) {
            retryBytes = bytes + options.segmentBytes();
            logger.warn("Writing a snapshot in {} failed, the log grows until the next try: {}", layout, e.toString());
            deleteQuietly(temporary);
        } finally {
            snapshotting.set(false);
        }
    }

    private void deleteQuietly(Path temporary) {
        try {
            options.disk().delete(temporary);
        } catch (IOException e) {
            logger.debug("{} stays until the next start: {}", temporary, e.getMessage());
        }
    }

    void backup(Path file) throws IOException {
        Backup.write(options.disk(), file, id, SnapshotFile.Contents.collect(index));
    }

    /** Waits for what is under way; a snapshot not yet begun is left to the next run of the store. */
    @Override
    public void close() {
        closing = true;
        executor.shutdown(); // no interrupt: it would close the file being written
        boolean interrupted = false;
        while (true) {
            try {
                if (executor.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
