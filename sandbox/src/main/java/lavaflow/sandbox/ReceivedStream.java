package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.jspecify.annotations.Nullable;

/** What one thread receives and another reads. Whoever brings more than a little waits for the reader. */
final class ReceivedStream extends InputStream {
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>(32);
    private byte[] piece = new byte[0];
    private int at;
    private boolean ended;
    private volatile boolean closed;

    void receive(byte[] bytes, int offset) {
        if (bytes.length > offset) {
            put(offset == 0 ? bytes : java.util.Arrays.copyOfRange(bytes, offset, bytes.length));
        }
    }

    void end() {
        put(END);
    }

    private void put(byte[] bytes) {
        try {
            // Nobody empties the queue of a reader that went away.
            boolean taken = false;
            while (!closed && !taken) {
                taken = pieces.offer(bytes, 1, java.util.concurrent.TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte @Nullable [] into, int offset, int length) throws IOException {
        if (into == null) {
            throw new NullPointerException("into");
        }
        if (length == 0) {
            return 0;
        }
        if (at == piece.length && !next()) {
            return -1;
        }
        int count = Math.min(length, piece.length - at);
        System.arraycopy(piece, at, into, offset, count);
        at += count;
        return count;
    }

    private boolean next() throws IOException {
        if (ended) {
            return false;
        }
        try {
            piece = pieces.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
        at = 0;
        ended = piece.length == 0;
        return !ended;
    }

    @Override
    public int available() {
        return piece.length - at;
    }

    @Override
    public void close() {
        closed = true;
        pieces.clear();
    }
}
