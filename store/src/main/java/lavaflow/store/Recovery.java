package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a directory into an empty index: the newest snapshot, then the log behind it. Changes nothing on disk; what is
 * to be cut or deleted is in the result.
 *
 * <p>Only the end of the newest segment may be incomplete: that is what a crash in the middle of a write leaves. A bad
 * frame there is still damage, not a torn write, when a frame behind it says that it had been synced.
 */
final class Recovery {

    /**
     * What was found.
     *
     * @param id the store the files belong to, or a new one
     * @param revision the newest revision that may ever have been handed out
     * @param tail where the log ends, null if there is none
     * @param superfluous files that are of no use any more
     */
    record Found(UUID id, long revision, @Nullable Tail tail, List<Path> superfluous) {}

    /**
     * The end of the log.
     *
     * @param bases the revisions after which the segments start
     * @param revision the last revision found
     * @param end the offset in the last segment behind its last frame
     * @param cut whether something unusable lies behind the end
     * @param bytes in the log since the snapshot
     */
    record Tail(List<Long> bases, long revision, long end, boolean cut, long bytes) {}

    private static final Logger logger = LoggerFactory.getLogger(Recovery.class);

    private final Layout layout;
    private final Disk disk;
    private final Index index;
    private final History history;
    private final long nowMillis;
    private @Nullable UUID id;
    private long snapshotRevision;
    private long revision;
    private long ceiling;
    private long bytes;

    Recovery(Layout layout, Disk disk, Index index, History history, long nowMillis) {
        this.layout = layout;
        this.disk = disk;
        this.index = index;
        this.history = history;
        this.nowMillis = nowMillis;
    }

    Found run() throws IOException {
        List<String> names = disk.list(layout.directory());
        List<Path> superfluous = new ArrayList<>();
        for (String name : names) {
            if (name.endsWith(Layout.TEMPORARY)) {
                superfluous.add(layout.path(name));
            }
        }
        List<Long> snapshots = Layout.snapshotRevisions(names);
        for (long older : snapshots) {
            if (older < snapshots.getLast()) {
                superfluous.add(layout.snapshot(older));
            }
        }
        if (!snapshots.isEmpty()) {
            readSnapshot(snapshots.getLast());
        }
        List<Long> bases = new ArrayList<>(Layout.segmentBases(names));
        while (bases.size() > 1 && bases.get(1) <= snapshotRevision) {
            superfluous.add(layout.segment(bases.removeFirst()));
        }
        Tail tail = bases.isEmpty() ? null : readSegments(bases);
        long handedOut = Math.max(Math.max(snapshotRevision, revision), ceiling);
        index.visible(handedOut);
        if (tail == null || handedOut > tail.revision()) {
            history.compact(handedOut); // what readers saw in between may be lost: they must list again
        } else {
            history.expire(nowMillis);
        }
        return new Found(id == null ? UUID.randomUUID() : id, handedOut, tail, superfluous);
    }

    private void readSnapshot(long named) throws IOException {
        Path path = layout.snapshot(named);
        FileHeader header = SnapshotFile.read(disk, path, (deleted, modified, created, bucket, key, value) -> {
            Bucket into = index.bucket(bucket);
            StoredObject object = new StoredObject(key, value, modified, created, false, null);
            into.stage(object);
            into.count(new Change(object, null, false));
        });
        if (header.revision() != named) {
            throw new CorruptStoreException(path, 0, "the name does not match the revision " + header.revision());
        }
        id = header.id();
        snapshotRevision = named;
        revision = named;
        index.visible(named);
        index.compact(named);
    }

    private Tail readSegments(List<Long> bases) throws IOException {
        Path first = layout.segment(bases.getFirst());
        if (bases.getFirst() > snapshotRevision) {
            throw new CorruptStoreException(
                    first,
                    0,
                    "the files before it are missing, with the revisions from " + (snapshotRevision + 1) + " to "
                            + bases.getFirst());
        }
        revision = bases.getFirst();
        Tail tail = null;
        for (int i = 0; i < bases.size(); i++) {
            tail = readSegment(bases, i);
        }
        if (tail == null || revision < snapshotRevision) {
            throw new CorruptStoreException(
                    layout.segment(bases.getLast()),
                    tail == null ? 0 : tail.end(),
                    "the log ends at revision " + revision + ", but it had been written up to " + snapshotRevision);
        }
        return tail;
    }

    private Tail readSegment(List<Long> bases, int number) throws IOException {
        long base = bases.get(number);
        boolean newest = number == bases.size() - 1;
        Path path = layout.segment(base);
        try (Disk.File file = disk.open(path, false)) {
            FileHeader header = FileHeader.read(file, path, FileHeader.Type.SEGMENT);
            UUID owner = id == null ? header.id() : id;
            id = owner;
            if (!header.id().equals(owner)) {
                throw new CorruptStoreException(path, 0, "the file belongs to another store");
            }
            if (header.revision() != base || base != revision) {
                throw new CorruptStoreException(
                        path,
                        0,
                        "it continues revision " + header.revision() + ", but the files before it end at revision "
                                + revision);
            }
            ceiling = base; // a new segment revokes what was promised before
            FrameReader reader = new FrameReader(file, FileHeader.BYTES, owner);
            while (reader.advance()) {
                replay(reader, path);
            }
            long end = reader.position();
            FrameReader.Rest rest = reader.rest();
            if (newest ? rest.synced() > revision : !rest.empty()) {
                throw new CorruptStoreException(
                        path, end, "a frame that had been written completely has a wrong checksum");
            }
            if (!rest.empty()) {
                logger.warn("Cutting an incomplete write at the end of {} at offset {}", path, end);
            }
            bytes += end;
            return new Tail(bases, revision, end, !rest.empty(), bytes);
        }
    }

    private void replay(FrameReader reader, Path path) throws IOException {
        Frames.Header frame = reader.header();
        boolean known = frame.kind() == Frames.BATCH || frame.kind() == Frames.MARK;
        if (!known || frame.previous() != revision || frame.last() < revision) {
            throw new CorruptStoreException(
                    path,
                    reader.position(),
                    "a frame continues revision " + frame.previous() + " where revision " + revision + " ended");
        }
        boolean complete = frame.last() <= snapshotRevision
                || reader.records((deleted, modified, created, bucket, key, value) ->
                        apply(index.bucket(bucket), key, modified, created, deleted, value, frame.timeMillis()));
        if (!complete) {
            throw new CorruptStoreException(path, reader.position(), "the records of a frame do not fill it");
        }
        revision = frame.last();
        ceiling = frame.ceiling(); // the newest frame knows what was handed out before it
        if (revision > snapshotRevision) {
            index.visible(revision);
            history.expire(nowMillis);
        }
    }

    private void apply(
            Bucket bucket, String key, long modified, long created, boolean deleted, byte[] value, long timeMillis) {
        StoredObject older = bucket.newest(key);
        StoredObject previous = older == null || older.deleted() ? null : older;
        String shared = older == null ? key : older.key();
        StoredObject object = new StoredObject(shared, value, modified, created, deleted, older);
        bucket.stage(object);
        Change change = new Change(object, previous, deleted);
        bucket.publish(change);
        history.add(bucket, change, timeMillis);
    }
}
