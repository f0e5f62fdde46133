package lavaflow.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Builds one frame after the other in one reused buffer outside of the heap. */
final class FrameEncoder {

    private static final int USUAL_BYTES = 64 << 10;
    private static final int LARGE_BYTES = 8 << 20;

    private final UUID id;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(USUAL_BYTES);
    private int count;

    FrameEncoder(UUID id) {
        this.id = id;
        begin();
    }

    /** Drops what was added and starts a new frame. */
    void begin() {
        if (buffer.capacity() > LARGE_BYTES) {
            buffer = ByteBuffer.allocateDirect(USUAL_BYTES); // one giant object must not cost memory for ever
        }
        buffer.clear().position(Frames.HEADER_BYTES);
        count = 0;
    }

    int count() {
        return count;
    }

    int bytes() {
        return buffer.position();
    }

    void add(Bucket bucket, StoredObject object) {
        byte[] key = object.key().getBytes(StandardCharsets.UTF_8);
        byte[] value = object.bytes();
        reserve(Frames.RECORD_BYTES + bucket.nameBytes.length + key.length + value.length);
        buffer.put(object.deleted() ? Frames.DELETE : Frames.PUT)
                .putLong(object.revision())
                .putLong(object.createRevision())
                .putShort((short) bucket.nameBytes.length)
                .putShort((short) key.length)
                .putInt(value.length)
                .put(bucket.nameBytes)
                .put(key)
                .put(value);
        count++;
    }

    /** The complete frame; valid until the next {@link #begin()}. */
    ByteBuffer finish(byte kind, long previous, long last, long synced, long ceiling, long timeMillis) {
        int length = buffer.position();
        buffer.putInt(Frames.MAGIC_AT, Frames.MAGIC)
                .putInt(Frames.LENGTH_AT, length)
                .putInt(Frames.KIND_AT, 0)
                .put(Frames.KIND_AT, kind)
                .putLong(Frames.PREVIOUS_AT, previous)
                .putLong(Frames.LAST_AT, last)
                .putLong(Frames.SYNCED_AT, synced)
                .putLong(Frames.CEILING_AT, ceiling)
                .putLong(Frames.TIME_AT, timeMillis)
                .putInt(Frames.COUNT_AT, count);
        buffer.putInt(Frames.HEADER_CHECKSUM_AT, Frames.headerChecksum(id, buffer, 0));
        buffer.putInt(Frames.CHECKSUM_AT, Frames.checksum(id, buffer, 0, length));
        return buffer.flip();
    }

    private void reserve(int more) {
        if (buffer.remaining() < more) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + more);
            buffer = ByteBuffer.allocateDirect(capacity).put(buffer.flip());
        }
    }
}
