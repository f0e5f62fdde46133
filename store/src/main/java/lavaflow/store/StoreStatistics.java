package lavaflow.store;

import java.util.SortedMap;

/**
 * The state of a store in numbers, for metrics.
 *
 * @param revision newest committed revision
 * @param compactedRevision oldest revision that can be read
 * @param objects live objects by bucket
 * @param liveBytes memory of live objects, roughly
 * @param historyBytes memory of old versions and changes, roughly
 * @param historyEvents changes that can be watched from
 * @param logBytes log written since the last snapshot
 * @param queued mutations that wait for the writer
 * @param cursors open cursors
 * @param batchSizes mutations per batch
 * @param fsyncSeconds duration of the fsyncs
 */
public record StoreStatistics(
        long revision,
        long compactedRevision,
        SortedMap<String, Long> objects,
        long liveBytes,
        long historyBytes,
        long historyEvents,
        long logBytes,
        long queued,
        long cursors,
        Distribution batchSizes,
        Distribution fsyncSeconds) {}
