package lavaflow.store;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Backups are snapshot files outside of the store's directory. */
final class Backup {

    /** How far above a backup's revision the restored store continues. */
    static final long RESTORED_REVISIONS_AHEAD = 1_000_000_000L;

    private Backup() {}

    static void write(Disk disk, Path file, UUID id, SnapshotFile.Contents contents) throws IOException {
        Path name = file.getFileName();
        Path directory = file.getParent();
        if (name == null || directory == null) {
            throw new IOException(file + " is not the name of a file");
        }
        if (disk.list(directory).contains(name.toString())) {
            throw new FileAlreadyExistsException(file.toString(), null, "a backup never overwrites a file");
        }
        publish(disk, file, directory, id, contents);
    }

    static void restore(Disk disk, Path file, Layout target) throws IOException {
        if (!disk.list(target.directory()).isEmpty()) {
            throw new DirectoryNotEmptyException(target + ", a backup is only restored into an empty directory");
        }
        Index index = new Index();
        FileHeader header = readInto(index, disk, file);
        long revision = header.revision() + RESTORED_REVISIONS_AHEAD;
        List<SnapshotFile.Objects> buckets = new ArrayList<>();
        for (String name : index.names()) {
            Bucket bucket = index.bucket(name);
            buckets.add(new SnapshotFile.Objects(
                    bucket, List.copyOf(bucket.range("", null).values())));
        }
        disk.createDirectories(target.directory());
        publish(
                disk,
                target.snapshot(revision),
                target.directory(),
                UUID.randomUUID(),
                new SnapshotFile.Contents(revision, buckets));
    }

    private static FileHeader readInto(Index index, Disk disk, Path file) throws IOException {
        try {
            return SnapshotFile.read(
                    disk,
                    file,
                    (deleted, modified, created, bucket, key, value) ->
                            index.bucket(bucket).stage(new StoredObject(key, value, modified, created, false, null)));
        } catch (CorruptStoreException e) {
            throw e.inBackup();
        }
    }

    /** Writes a file that is there completely or not at all. */
    private static void publish(Disk disk, Path file, Path directory, UUID id, SnapshotFile.Contents contents)
            throws IOException {
        Path temporary = directory.resolve(file.getFileName() + Layout.TEMPORARY);
        disk.delete(temporary);
        try {
            SnapshotFile.write(disk, temporary, id, contents);
            disk.rename(temporary, file);
        } catch (IOException e) {
            disk.delete(temporary);
            throw e;
        }
        disk.forceDirectory(directory);
    }
}
