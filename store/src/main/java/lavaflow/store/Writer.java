package lavaflow.store;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that changes the store. It takes what has queued up while it was busy as one batch: staged in memory, one
 * write, one fsync, then published. So the batch size follows the load, without a timer.
 *
 * <p>A relaxed batch is published without fsync. Its revisions must not be used again after a power failure that loses
 * it; so a frame on disk first promises that no revision above a ceiling is in use, and recovery continues there.
 */
final class Writer implements Runnable {

    private record Task(Runnable action, CompletableFuture<@Nullable Void> done) {

        void run() {
            try {
                action.run();
                done.complete(null);
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        }
    }

    private static final Logger logger = LoggerFactory.getLogger(Writer.class);

    /** Revisions promised ahead for relaxed mutations. */
    static final int RESERVED_REVISIONS = 1_000;

    private static final long IDLE_NANOS = 1_000_000_000L;

    private final Index index;
    private final History history;
    private final Log log;
    private final Notifier notifier;
    private final StoreOptions options;
    private final String directory;
    private final FrameEncoder encoder;
    private final Runnable afterBatch;
    private final Batch batch;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Submission> queue = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicLong queuedBytes = new AtomicLong();
    final Distribution.Recorder batchSizes = new Distribution.Recorder(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024);
    final Distribution.Recorder fsyncSeconds = new Distribution.Recorder(
            0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 2, 4, 8);

    private long synced;
    private long ceiling;
    private boolean relaxedSeen;
    private long unsyncedSinceNanos;
    private boolean unsynced;
    private volatile boolean parked;
    private volatile boolean closing;
    private volatile boolean ended;
    private volatile @Nullable StoreUnavailableException broken;

    Writer(
            Index index,
            History history,
            Log log,
            Notifier notifier,
            FrameEncoder encoder,
            StoreOptions options,
            String directory,
            Runnable afterBatch) {
        this.index = index;
        this.history = history;
        this.log = log;
        this.notifier = notifier;
        this.encoder = encoder;
        this.options = options;
        this.directory = directory;
        this.afterBatch = afterBatch;
        this.batch = new Batch(index);
        this.synced = log.last();
        this.ceiling = log.last();
        this.thread = Thread.ofPlatform().daemon().name("store-writer").unstarted(this);
    }

    void start() {
        thread.start();
    }

    int queued() {
        return queued.get();
    }

    boolean isOpen() {
        return !closing;
    }

    CompletableFuture<Outcome> submit(Mutation mutation) {
        Submission submission = new Submission(mutation);
        StoreUnavailableException refusal = refusal(submission);
        if (refusal != null) {
            submission.completeExceptionally(refusal);
            return submission;
        }
        queue.add(submission);
        wakeUp();
        return submission;
    }

    private @Nullable StoreUnavailableException refusal(Submission submission) {
        if (closing) {
            return closedFailure();
        }
        StoreUnavailableException failure = broken;
        if (failure != null) {
            return failure;
        }
        int ahead = queued.getAndIncrement();
        long bytesAhead = queuedBytes.getAndAdd(submission.bytes);
        if (ahead >= options.queueMutations() || (ahead > 0 && bytesAhead >= options.queueBytes())) {
            release(submission);
            return new StoreUnavailableException("the store is overloaded: " + ahead + " mutations with " + bytesAhead
                    + " bytes wait to be written. Nothing was changed; try again later.");
        }
        return null;
    }

    private void release(Submission submission) {
        queued.getAndDecrement();
        queuedBytes.getAndAdd(-submission.bytes);
    }

    /** Runs something on the writer's thread, between two batches. */
    CompletableFuture<@Nullable Void> execute(Runnable action) {
        Task task = new Task(action, new CompletableFuture<>());
        if (Thread.currentThread().equals(thread)) {
            task.run();
        } else {
            tasks.add(task);
            wakeUp();
        }
        return task.done();
    }

    private void wakeUp() {
        if (ended) {
            failQueued();
        } else if (parked) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                boolean last = closing;
                fillBatch();
                if (!batch.submissions().isEmpty()) {
                    commit();
                }
                history.expire(options.clock().millis());
                syncRelaxedWhenDue();
                runTasks();
                if (queue.isEmpty() && tasks.isEmpty()) {
                    if (last) {
                        break;
                    }
                    park();
                }
            }
            finish();
        } catch (RuntimeException | Error e) {
            logger.error("The writer of {} ends, the store can only be read from now on", directory, e);
            broken = new StoreUnavailableException("the store failed: " + e + ". Restart it.", e);
            batch.fail(brokenFailure());
        } finally {
            closing = true;
            ended = true;
            failQueued();
            notifier.close();
        }
    }

    private void fillBatch() {
        batch.clear();
        int bytes = 0;
        while (batch.submissions().size() < options.batchMutations() && bytes < options.batchBytes()) {
            Submission submission = queue.poll();
            if (submission == null) {
                return;
            }
            release(submission);
            bytes += submission.bytes;
            batch.add(submission);
        }
    }

    private void park() {
        parked = true;
        if (queue.isEmpty() && tasks.isEmpty() && !closing) {
            if (unsynced) {
                long due = unsyncedSinceNanos + options.relaxedSyncInterval().toNanos() - System.nanoTime();
                LockSupport.parkNanos(this, due);
            } else if (history.isEmpty()) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, IDLE_NANOS);
            }
        }
        parked = false;
    }

    private void runTasks() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private void commit() {
        StoreUnavailableException failure = broken;
        if (failure != null) {
            batch.fail(failure);
            return;
        }
        long nowMillis = options.clock().millis();
        encoder.begin();
        try {
            long last = batch.stage(index.visible(), encoder);
            if (batch.changes() > 0) {
                write(last, nowMillis);
                batch.publish(history, nowMillis);
                index.visible(last);
            }
        } catch (IOException e) {
            batch.unstage();
            batch.fail(failure(e));
            return;
        }
        batch.complete();
        if (batch.changes() > 0) {
            batchSizes.record(batch.changes());
            batch.signal(notifier);
            notifier.advanced();
            afterBatch.run();
        }
    }

    private void write(long last, long nowMillis) throws IOException {
        if (log.rollWhenFull()) {
            // The promise stands in a segment that may soon be deleted: make a new one when it is needed.
            ceiling = log.last();
            unsynced = false;
        }
        relaxedSeen |= !batch.durable();
        boolean sync = batch.durable() || last > ceiling;
        long promise = sync && relaxedSeen ? last + RESERVED_REVISIONS : Math.max(ceiling, last);
        log.append(encoder.finish(Frames.BATCH, log.last(), last, synced, promise, nowMillis), last);
        if (sync) {
            sync(last);
            ceiling = promise;
        } else if (!unsynced) {
            unsynced = true;
            unsyncedSinceNanos = System.nanoTime();
        }
    }

    private void sync(long last) throws IOException {
        long start = System.nanoTime();
        log.sync();
        fsyncSeconds.record((System.nanoTime() - start) / 1e9);
        synced = last;
        unsynced = false;
    }

    private void syncRelaxedWhenDue() {
        long interval = options.relaxedSyncInterval().toNanos();
        if (unsynced && System.nanoTime() - unsyncedSinceNanos >= interval) {
            try {
                syncNow();
            } catch (StoreUnavailableException e) {
                logger.debug("Refusing mutations from now on", e);
            }
        }
    }

    /** Makes relaxed mutations durable now. On the writer's thread. */
    void syncNow() {
        if (broken != null) {
            throw brokenFailure();
        }
        if (unsynced) {
            try {
                sync(index.visible());
            } catch (IOException e) {
                throw failure(e);
            }
        }
    }

    private StoreUnavailableException failure(IOException e) {
        if (e instanceof Log.BrokenException) {
            StoreUnavailableException failure = new StoreUnavailableException(
                    "writing to " + directory + " failed and what the disk kept is not known: " + e.getMessage()
                            + ". Reads go on; writes are refused until the store is restarted.",
                    e);
            broken = failure;
            unsynced = false;
            logger.error("{}", failure.getMessage(), e);
            return failure;
        }
        String cause = String.valueOf(e.getMessage());
        String lower = cause.toLowerCase(Locale.ROOT);
        boolean full = lower.contains("no space") || lower.contains("quota");
        String message = full
                ? "the disk of " + directory + " is full (" + cause
                        + "). Reads go on; writes work again once there is space."
                : "writing to " + directory + " failed: " + cause + ". Nothing was changed; reads go on.";
        logger.warn("{}", message);
        return new StoreUnavailableException(message, e);
    }

    private StoreUnavailableException brokenFailure() {
        StoreUnavailableException failure = broken;
        return failure == null ? closedFailure() : failure;
    }

    private StoreUnavailableException closedFailure() {
        return new StoreUnavailableException("the store " + directory + " is closed");
    }

    /** States that everything is on disk, so that the next start can tell damage from an interrupted write. */
    private void finish() {
        if (broken != null) {
            return;
        }
        long revision = index.visible();
        encoder.begin();
        try {
            log.sync();
            long now = options.clock().millis();
            log.append(encoder.finish(Frames.MARK, log.last(), revision, revision, revision, now), revision);
            log.sync();
        } catch (IOException e) {
            logger.warn("Ending the log of {} failed, nothing is lost: {}", directory, e.getMessage());
        }
    }

    private void failQueued() {
        for (Submission submission = queue.poll(); submission != null; submission = queue.poll()) {
            release(submission);
            submission.completeExceptionally(brokenFailure());
        }
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.done().completeExceptionally(brokenFailure());
        }
    }

    /** Commits what is queued, then ends. */
    void close() {
        closing = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
