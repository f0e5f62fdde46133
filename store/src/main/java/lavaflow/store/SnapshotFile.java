package lavaflow.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** All live objects at one revision, as a file: the start of recovery, and the format of backups. */
final class SnapshotFile {

    private static final int FRAME_BYTES = 512 << 10;

    private SnapshotFile() {}

    /** The live objects of a bucket. Holding them keeps their bytes in memory, whatever the history does. */
    record Objects(Bucket bucket, List<StoredObject> objects) {}

    /** The live objects of the store at a revision. */
    record Contents(long revision, List<Objects> buckets) {

        /** Collects references only, so it is fast enough to hold the history back meanwhile. */
        static Contents collect(Index index) {
            return index.pinned(revision -> {
                List<Objects> buckets = new ArrayList<>();
                Snapshot snapshot = new Snapshot(index, revision);
                Set<String> names = new TreeSet<>(index.buckets.keySet());
                for (String name : names) {
                    Bucket bucket = index.bucket(name);
                    List<StoredObject> objects = new ArrayList<>();
                    snapshot.scan(name, "", null).forEach(objects::add);
                    buckets.add(new Objects(bucket, objects));
                }
                return new Contents(revision, buckets);
            });
        }
    }

    /** Writes and syncs a new file. */
    static void write(Disk disk, Path path, UUID id, Contents contents) throws IOException {
        try (Disk.File file = disk.create(path)) {
            file.write(new FileHeader(FileHeader.Type.SNAPSHOT, id, contents.revision()).encode(), 0);
            long at = FileHeader.BYTES;
            long count = 0;
            FrameEncoder encoder = new FrameEncoder(id);
            for (Objects bucket : contents.buckets()) {
                for (StoredObject object : bucket.objects()) {
                    encoder.add(bucket.bucket(), object);
                    count++;
                    if (encoder.bytes() >= FRAME_BYTES) {
                        at += append(file, at, encoder, Frames.OBJECTS, contents.revision(), count);
                    }
                }
            }
            if (encoder.count() > 0) {
                at += append(file, at, encoder, Frames.OBJECTS, contents.revision(), count);
            }
            append(file, at, encoder, Frames.END, contents.revision(), count);
            file.force(true);
        }
    }

    /** The frame's {@code synced} field carries the number of objects so far: nothing can be missing unnoticed. */
    private static int append(Disk.File file, long at, FrameEncoder encoder, byte kind, long revision, long count)
            throws IOException {
        ByteBuffer frame = encoder.finish(kind, revision, revision, count, revision, 0);
        int bytes = frame.remaining();
        file.write(frame, at);
        encoder.begin();
        return bytes;
    }

    /** Reads and checks a complete file. */
    static FileHeader read(Disk disk, Path path, FrameReader.Records records) throws IOException {
        try (Disk.File file = disk.open(path, false)) {
            FileHeader header = FileHeader.read(file, path, FileHeader.Type.SNAPSHOT);
            FrameReader reader = new FrameReader(file, FileHeader.BYTES, header.id());
            long count = 0;
            boolean ended = false;
            while (reader.advance()) {
                Frames.Header frame = reader.header();
                count += frame.count();
                if (ended || frame.last() != header.revision() || frame.synced() != count || !reader.records(records)) {
                    throw new CorruptStoreException(path, reader.position(), "a frame does not belong here");
                }
                ended = frame.kind() == Frames.END;
            }
            if (!ended) {
                throw new CorruptStoreException(
                        path, reader.position(), "the checksum is wrong or the end of the file is missing");
            }
            if (reader.position() != file.size()) {
                throw new CorruptStoreException(path, reader.position(), "there are bytes after the end");
            }
            return header;
        }
    }
}
