package lavaflow.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** A message to the kernel: a header, a fixed part, and attributes that may hold attributes. */
final class NetlinkMessage {
    static final int HEADER = 16;
    static final int REQUEST = 1;
    static final int ACKNOWLEDGE = 4;
    static final int DUMP = 0x300;
    static final int REPLACE = 0x100;
    static final int EXCLUSIVE = 0x200;
    static final int CREATE = 0x400;
    static final int APPEND = 0x800;

    private static final int NESTED = 0x8000;

    private final ByteBuffer bytes;

    NetlinkMessage(int type, int flags) {
        bytes = ByteBuffer.allocate(1024).order(ByteOrder.nativeOrder());
        bytes.putInt(0)
                .putShort((short) type)
                .putShort((short) (REQUEST | flags))
                .putInt(0)
                .putInt(0);
    }

    /** A message about links; they are found by number, or for number 0 by the name in an attribute. */
    static NetlinkMessage link(int type, int flags, int family, int index, int linkFlags, int changed) {
        NetlinkMessage message = new NetlinkMessage(type, flags);
        message.bytes
                .put((byte) family)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(index)
                .putInt(linkFlags)
                .putInt(changed);
        return message;
    }

    NetlinkMessage put8(int value) {
        bytes.put((byte) value);
        return this;
    }

    NetlinkMessage put32(int value) {
        bytes.putInt(value);
        return this;
    }

    NetlinkMessage attribute(int type, byte[] value) {
        bytes.putShort((short) (4 + value.length)).putShort((short) type).put(value);
        align(bytes);
        return this;
    }

    NetlinkMessage attribute8(int type, int value) {
        return attribute(type, new byte[] {(byte) value});
    }

    NetlinkMessage attribute32(int type, int value) {
        return attribute(
                type,
                ByteBuffer.allocate(4)
                        .order(ByteOrder.nativeOrder())
                        .putInt(value)
                        .array());
    }

    NetlinkMessage attribute(int type, String value) {
        return attribute(type, (value + "\0").getBytes(StandardCharsets.UTF_8));
    }

    NetlinkMessage nested(int type, Consumer<NetlinkMessage> inner) {
        int start = bytes.position();
        bytes.putShort((short) 0).putShort((short) (type | NESTED));
        inner.accept(this);
        bytes.putShort(start, (short) (bytes.position() - start));
        return this;
    }

    private static void align(ByteBuffer buffer) {
        while (buffer.position() % 4 != 0) {
            buffer.put((byte) 0);
        }
    }

    byte[] finished(int sequence) {
        bytes.putInt(0, bytes.position()).putInt(8, sequence);
        byte[] whole = new byte[bytes.position()];
        bytes.get(0, whole);
        return whole;
    }
}
