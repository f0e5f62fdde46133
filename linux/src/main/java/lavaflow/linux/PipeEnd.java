package lavaflow.linux;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One end of a pipe as a stream that virtual threads may wait on. Closing it wakes whoever waits; the number of the file cannot
 * become another's between the two because both hold the lock while they use it.
 */
final class PipeEnd {
    private static final int LARGEST = 64 << 10;
    private static final int SET_FLAGS = 4;
    private static final int NON_BLOCKING = 0x800;

    private final OpenFile file;
    private final Readiness.Waiter waiter;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;

    private PipeEnd(OpenFile file, int flags, int wanted) throws IOException {
        this.file = file;
        waiter = new Readiness.Waiter(file, wanted);
        CLibrary.call("fcntl", SystemCall.FCNTL, file.number(), SET_FLAGS, flags | NON_BLOCKING);
    }

    static InputStream input(OpenFile file) throws IOException {
        PipeEnd end = new PipeEnd(file, 0, EventQueue.TO_READ);
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return length == 0 ? 0 : end.transfer(SystemCall.READ, bytes, offset, length);
            }

            @Override
            public void close() {
                end.close();
            }
        };
    }

    static OutputStream output(OpenFile file) throws IOException {
        PipeEnd end = new PipeEnd(file, 1, EventQueue.TO_WRITE);
        return new PieceOutput() {
            @Override
            int send(byte[] bytes, int offset, int length) throws IOException {
                return end.transfer(SystemCall.WRITE, bytes, offset, length);
            }

            @Override
            public void close() {
                end.close();
            }
        };
    }

    /** Reads or writes some bytes, at least one; -1 at the end of what can be read. */
    private int transfer(SystemCall call, byte[] bytes, int offset, int length) throws IOException {
        int most = Math.min(length, LARGEST);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(most);
            if (call == SystemCall.WRITE) {
                MemorySegment.copy(bytes, offset, piece, ValueLayout.JAVA_BYTE, 0, most);
            }
            while (true) {
                int count = attempt(call, piece, most);
                if (count >= 0) {
                    if (call == SystemCall.READ) {
                        MemorySegment.copy(piece, ValueLayout.JAVA_BYTE, 0, bytes, offset, count);
                    }
                    return count == 0 ? -1 : count;
                }
                waiter.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    /** Negative when it would have to wait. */
    private int attempt(SystemCall call, MemorySegment piece, int most) throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException("Stream Closed");
            }
            return (int) CLibrary.call("pipe", call, file.number(), piece.address(), most);
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EAGAIN)) {
                throw e;
            }
            waiter.prepare();
            return -1;
        } finally {
            lock.unlock();
        }
    }

    private void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                waiter.forget();
                file.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
