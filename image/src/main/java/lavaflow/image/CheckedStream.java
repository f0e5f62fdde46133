package lavaflow.image;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;

/** Counts and hashes what is read. */
class CheckedStream extends FilterInputStream {
    private final MessageDigest hash;
    private long count;

    CheckedStream(InputStream in, MessageDigest hash) {
        super(in);
        this.hash = hash;
    }

    /** Called after every read. */
    void check() throws IOException {}

    long count() {
        return count;
    }

    /** Reads what is left, so that the hash is that of everything. */
    String finish() throws IOException {
        byte[] rest = new byte[64 * 1024];
        while (read(rest, 0, rest.length) >= 0) {
            // only read
        }
        return Digest.named(hash.digest());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
        int read = super.read(buffer, from, length);
        if (read > 0) {
            hash.update(buffer, from, read);
            count += read;
            check();
        }
        return read;
    }

    /** Skipped bytes belong to the hash. */
    @Override
    public long skip(long wanted) throws IOException {
        byte[] bytes = new byte[Math.clamp(wanted, 0, 64 * 1024)];
        return bytes.length == 0 ? 0 : Math.max(0, read(bytes, 0, bytes.length));
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
