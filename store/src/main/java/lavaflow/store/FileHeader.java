package lavaflow.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The first bytes of every file.
 *
 * @param id the store the file belongs to
 * @param revision of a log segment the last revision before it, of a snapshot the revision it shows
 */
record FileHeader(Type type, UUID id, long revision) {

    static final int BYTES = 64;
    private static final int CHECKED_BYTES = 60;

    enum Type {
        SEGMENT(0x4C415641_4C4F4701L, "log segment"),
        SNAPSHOT(0x4C415641_534E5001L, "snapshot");

        private final long magic;
        private final String title;

        Type(long magic, String title) {
            this.magic = magic;
            this.title = title;
        }
    }

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        buffer.putLong(type.magic)
                .putInt(Frames.VERSION)
                .putInt(0)
                .put(Frames.bytes(id))
                .putLong(revision);
        buffer.putInt(CHECKED_BYTES, checksum(buffer));
        return buffer.clear();
    }

    static FileHeader read(Disk.File file, Path path, Type type) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        while (buffer.hasRemaining() && file.read(buffer, buffer.position()) >= 0) {
            // until complete or at the end of the file
        }
        if (buffer.hasRemaining()) {
            throw new CorruptStoreException(path, buffer.position(), "the file ends within its header");
        }
        if (buffer.getLong(0) != type.magic) {
            throw new CorruptStoreException(path, 0, "this is not a " + type.title);
        }
        if (buffer.getInt(CHECKED_BYTES) != checksum(buffer)) {
            throw new CorruptStoreException(path, 0, "the checksum of the file header is wrong");
        }
        int version = buffer.getInt(8);
        if (version > Frames.VERSION) {
            throw new UnsupportedFormatException(path, version, Frames.VERSION);
        }
        return new FileHeader(type, new UUID(buffer.getLong(16), buffer.getLong(24)), buffer.getLong(32));
    }

    private static int checksum(ByteBuffer buffer) {
        CRC32C checksum = new CRC32C();
        checksum.update(buffer.slice(0, CHECKED_BYTES));
        return (int) checksum.getValue();
    }
}
