package lavaflow.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/** Reads frames in order, through a large buffer, and finds out what follows where they end. */
final class FrameReader {

    /** Takes the records of a frame. */
    interface Records {
        void record(boolean deleted, long revision, long createRevision, String bucket, String key, byte[] value)
                throws IOException;
    }

    private static final int BUFFER_BYTES = 1 << 20;

    private final Disk.File file;
    private final UUID id;
    private final long size;
    private ByteBuffer buffer;

    /** Where in the file the buffer starts. */
    private long bufferAt;

    private int frameBytes;
    private Frames.Header header = new Frames.Header((byte) 0, 0, 0, 0, 0, 0, 0);
    private byte[] bucketBytes = new byte[0];
    private String bucketName = "";

    FrameReader(Disk.File file, long position, UUID id) throws IOException {
        this.file = file;
        this.id = id;
        this.size = file.size();
        this.bufferAt = position;
        this.buffer = ByteBuffer.allocateDirect(Math.clamp(size, Frames.HEADER_BYTES, BUFFER_BYTES))
                .limit(0);
    }

    /** Moves to the next frame; false when no valid frame starts where the last one ended. */
    boolean advance() throws IOException {
        skip(frameBytes);
        frameBytes = 0;
        frameBytes = validFrame();
        if (frameBytes == 0) {
            return false;
        }
        header = Frames.Header.read(buffer, buffer.position());
        return true;
    }

    Frames.Header header() {
        return header;
    }

    /** Offset of the current frame, or, when there is none, where it would start. */
    long position() {
        return bufferAt + buffer.position();
    }

    /** Hands out the records of the current frame; false if they do not fill it exactly. */
    boolean records(Records records) throws IOException {
        int at = buffer.position() + Frames.HEADER_BYTES;
        int end = buffer.position() + frameBytes;
        for (int i = 0; i < header.count(); i++) {
            if (end - at < Frames.RECORD_BYTES) {
                return false;
            }
            byte type = buffer.get(at);
            int bucketLength = Short.toUnsignedInt(buffer.getShort(at + 17));
            int keyLength = Short.toUnsignedInt(buffer.getShort(at + 19));
            int valueLength = buffer.getInt(at + 21);
            int bucketAt = at + Frames.RECORD_BYTES;
            if (valueLength < 0
                    || end - bucketAt - bucketLength - keyLength < valueLength
                    || (type != Frames.PUT && type != Frames.DELETE)) {
                return false;
            }
            byte[] value = new byte[valueLength];
            buffer.get(bucketAt + bucketLength + keyLength, value);
            records.record(
                    type == Frames.DELETE,
                    buffer.getLong(at + 1),
                    buffer.getLong(at + 9),
                    bucket(bucketAt, bucketLength),
                    string(bucketAt + bucketLength, keyLength),
                    value);
            at = bucketAt + bucketLength + keyLength + valueLength;
        }
        return at == end;
    }

    /** What lies behind the last valid frame. */
    record Rest(boolean empty, long synced) {}

    /**
     * Looks at everything from the current position to the end of the file: whether it is nothing but zeros, and the
     * newest revision that any valid frame in there claims to have been on disk before it.
     */
    Rest rest() throws IOException {
        boolean empty = true;
        long synced = 0;
        while (fill(Frames.HEADER_BYTES)) {
            int zeros = zeros();
            if (zeros > 0) {
                skip(zeros);
                continue;
            }
            empty = false;
            int length = buffer.getInt(buffer.position()) == Frames.MAGIC ? validFrame() : 0;
            if (length > 0) {
                synced = Math.max(
                        synced, Frames.Header.read(buffer, buffer.position()).synced());
            }
            skip(Math.max(1, length));
        }
        for (int i = buffer.position(); i < buffer.limit(); i++) {
            empty &= buffer.get(i) == 0;
        }
        return new Rest(empty, synced);
    }

    private int zeros() {
        int at = buffer.position();
        while (buffer.limit() - at >= Long.BYTES && buffer.getLong(at) == 0) {
            at += Long.BYTES;
        }
        return at - buffer.position();
    }

    /** The length of the valid frame at the position of the buffer, 0 if there is none. */
    private int validFrame() throws IOException {
        if (!fill(Frames.HEADER_BYTES) || buffer.getInt(buffer.position()) != Frames.MAGIC) {
            return 0;
        }
        int length = buffer.getInt(buffer.position() + Frames.LENGTH_AT);
        int headerChecksum = buffer.getInt(buffer.position() + Frames.HEADER_CHECKSUM_AT);
        if (headerChecksum != Frames.headerChecksum(id, buffer, buffer.position())
                || !Frames.plausibleLength(length)
                || !fill(length)) {
            return 0;
        }
        int at = buffer.position();
        int checksum = Frames.checksum(id, buffer, at, length);
        return checksum == buffer.getInt(at + Frames.CHECKSUM_AT) ? length : 0;
    }

    private void skip(int bytes) {
        buffer.position(buffer.position() + bytes);
    }

    /** Makes that many bytes available in the buffer; false if the file ends before. */
    private boolean fill(int bytes) throws IOException {
        if (buffer.remaining() >= bytes) {
            return true;
        }
        if (size - position() < bytes) {
            bytes = (int) (size - position());
            if (buffer.remaining() >= bytes) {
                return false;
            }
            load(bytes);
            return false;
        }
        load(bytes);
        return true;
    }

    private void load(int bytes) throws IOException {
        bufferAt = position();
        if (buffer.capacity() < bytes) {
            buffer = ByteBuffer.allocateDirect(Math.max(bytes, buffer.capacity() * 2))
                    .put(buffer)
                    .flip();
        }
        buffer.compact();
        while (buffer.position() < bytes) {
            if (file.read(buffer, bufferAt + buffer.position()) < 0) {
                throw new IOException("a file became shorter while it was read");
            }
        }
        buffer.flip();
    }

    private String bucket(int at, int length) {
        byte[] name = new byte[length];
        buffer.get(at, name);
        if (!Arrays.equals(name, bucketBytes)) {
            bucketBytes = name;
            bucketName = new String(name, StandardCharsets.UTF_8);
        }
        return bucketName;
    }

    private String string(int at, int length) {
        byte[] text = new byte[length];
        buffer.get(at, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
