package lavaflow.store;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The format shared by log and snapshot files: a file header, then frames. A frame is written with one write and counts
 * as a whole or not at all.
 *
 * <p>The checksum of a frame starts with the id of the store, which clients never see: no value that a client stores can
 * imitate a frame.
 */
final class Frames {

    /** Version of the file format; raised when an older program could not read the files. */
    static final int VERSION = 1;

    static final int HEADER_BYTES = 64;
    static final int MAX_PAYLOAD = 64 << 20;
    static final int MAGIC = 0x4C46524D; // LFRM
    static final int MAGIC_AT = 0;
    static final int CHECKSUM_AT = 4;
    static final int LENGTH_AT = 8;
    static final int KIND_AT = 12;
    static final int PREVIOUS_AT = 16;
    static final int LAST_AT = 24;
    static final int SYNCED_AT = 32;
    static final int CEILING_AT = 40;
    static final int TIME_AT = 48;
    static final int COUNT_AT = 56;
    static final int HEADER_CHECKSUM_AT = 60;

    /** Committed mutations. */
    static final byte BATCH = 1;

    /** No mutation: moves the revision on, or states that everything before is on disk. */
    static final byte MARK = 2;

    /** Live objects of a snapshot. */
    static final byte OBJECTS = 3;

    /** The end of a snapshot. */
    static final byte END = 4;

    static final byte PUT = 1;
    static final byte DELETE = 2;

    /** Record header: type, revision, revision of creation, lengths of bucket, key and value. */
    static final int RECORD_BYTES = 1 + 8 + 8 + 2 + 2 + 4;

    private Frames() {}

    /**
     * What the header of a frame says.
     *
     * @param previous the last revision before this frame
     * @param last the last revision of this frame
     * @param synced a revision that was known to be on disk when the frame was written
     * @param ceiling no revision above this one was handed out before a later frame was on disk
     */
    record Header(byte kind, long previous, long last, long synced, long ceiling, long timeMillis, int count) {

        static Header read(ByteBuffer buffer, int at) {
            return new Header(
                    buffer.get(at + KIND_AT),
                    buffer.getLong(at + PREVIOUS_AT),
                    buffer.getLong(at + LAST_AT),
                    buffer.getLong(at + SYNCED_AT),
                    buffer.getLong(at + CEILING_AT),
                    buffer.getLong(at + TIME_AT),
                    buffer.getInt(at + COUNT_AT));
        }
    }

    /** The checksum of all of a frame but its first fields. */
    static int checksum(UUID id, ByteBuffer buffer, int at, int length) {
        return checksum(id, buffer.slice(at + LENGTH_AT, length - LENGTH_AT));
    }

    /**
     * The checksum of the header alone, by which a length can be trusted before so many bytes are read: looking for
     * frames in arbitrary bytes must not take time that grows with their square.
     */
    static int headerChecksum(UUID id, ByteBuffer buffer, int at) {
        return checksum(id, buffer.slice(at + LENGTH_AT, HEADER_CHECKSUM_AT - LENGTH_AT));
    }

    private static int checksum(UUID id, ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes(id));
        checksum.update(bytes);
        return (int) checksum.getValue();
    }

    static boolean plausibleLength(int length) {
        return length >= HEADER_BYTES && length <= HEADER_BYTES + MAX_PAYLOAD;
    }

    static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
