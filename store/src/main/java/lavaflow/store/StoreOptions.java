package lavaflow.store;

import java.time.Duration;
import java.time.InstantSource;

/**
 * The bounds of a store. Start from {@link #defaults()}.
 *
 * @param historyWindow how long old revisions can be read and watched from
 * @param historyBytes how much memory old versions may take before they go early
 * @param historyEvents how many changes are kept before they go early
 * @param segmentBytes size of a log file
 * @param snapshotBytes log that is written at least between two snapshots
 * @param queueMutations mutations that may wait for the writer; more are refused
 * @param queueBytes bytes of mutations that may wait for the writer; more are refused
 * @param batchMutations mutations written with one fsync
 * @param batchBytes bytes after which no further mutation joins a batch
 * @param valueBytes largest object
 * @param relaxedSyncInterval how long a relaxed mutation may stay off the disk
 * @param clock the time by which the history expires
 * @param disk where the files are
 */
public record StoreOptions(
        Duration historyWindow,
        long historyBytes,
        int historyEvents,
        long segmentBytes,
        long snapshotBytes,
        int queueMutations,
        long queueBytes,
        int batchMutations,
        int batchBytes,
        int valueBytes,
        Duration relaxedSyncInterval,
        InstantSource clock,
        Disk disk) {

    private static final int MIB = 1 << 20;
    private static final int MIN_SEGMENT_BYTES = 1 << 10;

    public StoreOptions {
        if (historyBytes < 0
                || historyEvents < 0
                || segmentBytes < MIN_SEGMENT_BYTES
                || snapshotBytes < 1
                || queueMutations < 1
                || queueBytes < 1
                || batchMutations < 1
                || batchBytes < 1
                || valueBytes < 1
                || (long) batchBytes + valueBytes > Frames.MAX_PAYLOAD) {
            throw new IllegalArgumentException("a bound is too small, or a batch larger than "
                    + Frames.MAX_PAYLOAD + " bytes: history " + historyBytes + "/" + historyEvents + ", segment "
                    + segmentBytes + ", snapshot " + snapshotBytes + ", queue " + queueMutations + "/" + queueBytes
                    + ", batch " + batchMutations + "/" + batchBytes + ", value " + valueBytes);
        }
    }

    public static StoreOptions defaults() {
        return new StoreOptions(
                Duration.ofMinutes(5),
                64L * MIB,
                100_000,
                16L * MIB,
                64L * MIB,
                16_384,
                32L * MIB,
                1_024,
                4 * MIB,
                16 * MIB,
                Duration.ofSeconds(1),
                InstantSource.system(),
                Disk.real());
    }

    public StoreOptions withHistory(Duration window, long bytes, int events) {
        return new StoreOptions(
                window,
                bytes,
                events,
                segmentBytes,
                snapshotBytes,
                queueMutations,
                queueBytes,
                batchMutations,
                batchBytes,
                valueBytes,
                relaxedSyncInterval,
                clock,
                disk);
    }

    public StoreOptions withFiles(long segment, long snapshot) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segment,
                snapshot,
                queueMutations,
                queueBytes,
                batchMutations,
                batchBytes,
                valueBytes,
                relaxedSyncInterval,
                clock,
                disk);
    }

    public StoreOptions withQueue(int mutations, long bytes) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segmentBytes,
                snapshotBytes,
                mutations,
                bytes,
                batchMutations,
                batchBytes,
                valueBytes,
                relaxedSyncInterval,
                clock,
                disk);
    }

    public StoreOptions withBatch(int mutations, int bytes) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segmentBytes,
                snapshotBytes,
                queueMutations,
                queueBytes,
                mutations,
                bytes,
                valueBytes,
                relaxedSyncInterval,
                clock,
                disk);
    }

    public StoreOptions withRelaxedSyncInterval(Duration interval) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segmentBytes,
                snapshotBytes,
                queueMutations,
                queueBytes,
                batchMutations,
                batchBytes,
                valueBytes,
                interval,
                clock,
                disk);
    }

    public StoreOptions withClock(InstantSource source) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segmentBytes,
                snapshotBytes,
                queueMutations,
                queueBytes,
                batchMutations,
                batchBytes,
                valueBytes,
                relaxedSyncInterval,
                source,
                disk);
    }

    public StoreOptions withDisk(Disk files) {
        return new StoreOptions(
                historyWindow,
                historyBytes,
                historyEvents,
                segmentBytes,
                snapshotBytes,
                queueMutations,
                queueBytes,
                batchMutations,
                batchBytes,
                valueBytes,
                relaxedSyncInterval,
                clock,
                files);
    }
}
