package lavaflow.kube;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes protobuf by hand: fields in the order of the calls, nothing left out. */
final class TestingWire {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A body as clients send it. */
    static byte[] body(String apiVersion, String kind, TestingWire object) {
        TestingWire frame = new TestingWire()
                .message(1, new TestingWire().string(1, apiVersion).string(2, kind))
                .message(2, object)
                .string(3, "")
                .string(4, "");
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(new byte[] {'k', '8', 's', 0});
        body.writeBytes(frame.bytes());
        return body.toByteArray();
    }

    TestingWire string(int number, String text) {
        return bytes(number, text.getBytes(StandardCharsets.UTF_8));
    }

    TestingWire message(int number, TestingWire message) {
        return bytes(number, message.bytes());
    }

    TestingWire bytes(int number, byte[] bytes) {
        varint(((long) number << 3) | 2);
        varint(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    TestingWire number(int number, long value) {
        varint((long) number << 3);
        varint(value);
        return this;
    }

    TestingWire entry(int number, String key, String value) {
        return message(number, new TestingWire().string(1, key).string(2, value));
    }

    TestingWire raw(int... bytes) {
        for (int b : bytes) {
            out.write(b);
        }
        return this;
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    byte[] bytes() {
        return out.toByteArray();
    }
}
