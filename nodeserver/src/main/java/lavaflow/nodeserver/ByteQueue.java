package lavaflow.nodeserver;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Bytes on their way from the thread that reads a connection to the one that wants them. Holds only so many: who brings more waits, and with
 * it the client.
 */
final class ByteQueue extends InputStream {
    private static final int MOST = 256 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private int offset;
    private int size;
    private boolean ended;
    /** Nobody wants what comes. */
    private boolean unwanted;

    private @Nullable IOException failure;

    /** Adds bytes, which belong to the queue from now on. Drops them where nobody wants them. */
    void put(byte[] piece) throws IOException {
        lock.lock();
        try {
            while (size >= MOST && !ended && !unwanted) {
                changed.awaitUninterruptibly();
            }
            if (!ended && !unwanted && piece.length > 0) {
                pieces.addLast(piece);
                size += piece.length;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The sender has said everything; what it said can still be read. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The sender is gone in the middle of something. */
    void fail(IOException reason) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                failure = reason;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        lock.lock();
        try {
            while (pieces.isEmpty() && !ended && !unwanted) {
                changed.awaitUninterruptibly();
            }
            if (pieces.isEmpty()) {
                if (failure != null) {
                    throw new EOFException(failure.getMessage());
                }
                return -1;
            }
            return take(into, from, length);
        } finally {
            lock.unlock();
        }
    }

    private int take(byte[] into, int from, int length) {
        byte[] first = pieces.getFirst();
        int count = Math.min(length, first.length - offset);
        System.arraycopy(first, offset, into, from, count);
        offset += count;
        size -= count;
        if (offset == first.length) {
            pieces.removeFirst();
            offset = 0;
        }
        changed.signalAll();
        return count;
    }

    /** From now on nobody wants what comes; whoever waits to bring something goes on. */
    @Override
    public void close() {
        lock.lock();
        try {
            unwanted = true;
            pieces.clear();
            offset = 0;
            size = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
