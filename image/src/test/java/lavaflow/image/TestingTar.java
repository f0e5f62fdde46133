package lavaflow.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Writes archives, also such as nobody should. Names are written byte by byte. */
final class TestingTar {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private long uid;
    private long gid;
    private int mode = 0644;

    TestingTar owner(long user, long group) {
        uid = user;
        gid = group;
        return this;
    }

    TestingTar mode(int bits) {
        mode = bits;
        return this;
    }

    TestingTar file(String name, String text) {
        return entry(name, '0', "", text.getBytes(StandardCharsets.UTF_8));
    }

    TestingTar directory(String name) {
        int before = mode;
        mode = 0755;
        entry(name.endsWith("/") ? name : name + "/", '5', "", new byte[0]);
        mode = before;
        return this;
    }

    TestingTar link(String name, String target) {
        return entry(name, '2', target, new byte[0]);
    }

    TestingTar hardLink(String name, String target) {
        return entry(name, '1', target, new byte[0]);
    }

    TestingTar extended(String... keysAndValues) {
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] rest =
                    (" " + keysAndValues[i] + "=" + keysAndValues[i + 1] + "\n").getBytes(StandardCharsets.ISO_8859_1);
            int length = rest.length + 1;
            while ((length + "").length() + rest.length != length) {
                length = (length + "").length() + rest.length;
            }
            records.writeBytes((length + "").getBytes(StandardCharsets.US_ASCII));
            records.writeBytes(rest);
        }
        return entry("PaxHeaders", 'x', "", records.toByteArray());
    }

    TestingTar entry(String name, char type, String target, byte[] data) {
        out.writeBytes(header(name, type, target, data.length, 0, 0));
        out.writeBytes(data);
        out.writeBytes(new byte[(512 - data.length % 512) % 512]);
        return this;
    }

    TestingTar device(String name, char type, int major, int minor) {
        out.writeBytes(header(name, type, "", 0, major, minor));
        return this;
    }

    TestingTar raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    byte[] header(String name, char type, String target, long size, int major, int minor) {
        byte[] block = new byte[512];
        text(block, 0, name, 100);
        octal(block, 100, mode, 8);
        octal(block, 108, uid, 8);
        octal(block, 116, gid, 8);
        octal(block, 124, size, 12);
        octal(block, 136, 1_700_000_000L, 12);
        block[156] = (byte) type;
        text(block, 157, target, 100);
        text(block, 257, "ustar", 6);
        block[263] = '0';
        block[264] = '0';
        octal(block, 329, major, 8);
        octal(block, 337, minor, 8);
        sum(block);
        return block;
    }

    static void sum(byte[] block) {
        java.util.Arrays.fill(block, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xff;
        }
        octal(block, 148, sum, 7);
    }

    private static void text(byte[] block, int from, String text, int limit) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, from, Math.min(bytes.length, limit));
    }

    private static void octal(byte[] block, int from, long value, int length) {
        text(block, from, String.format("%0" + (length - 1) + "o", value), length - 1);
    }

    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(out.toByteArray());
        all.writeBytes(new byte[1024]);
        return all.toByteArray();
    }

    byte[] compressed() {
        return gzip(bytes());
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }
}
