package lavaflow.linux;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * A terminal or socket that Java has no stream for. One platform thread waits for what comes in and hands it on; closing
 * wakes it, and it is the one that closes the file, so that its number cannot become another's under it.
 */
public final class Duplex implements AutoCloseable {
    private static final int BUFFER = 64 << 10;
    private static final int SET_FLAGS = 4;
    private static final int NON_BLOCKING = 0x800;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int SHUT_WRITE = 1;
    private static final short READABLE = 1;
    private static final int WINDOW_SIZE = 0x5414;

    private final OpenFile file;
    private final OpenFile wake;
    private final Thread pump;

    /**
     * Starts to read.
     *
     * @param received gets each piece that was read at once; may block
     * @param ended is run when nothing more comes
     */
    Duplex(OpenFile file, String name, Consumer<byte[]> received, Runnable ended) throws IOException {
        this.file = file;
        CLibrary.call("fcntl", SystemCall.FCNTL, file.number(), SET_FLAGS, NON_BLOCKING);
        wake = new OpenFile((int) CLibrary.call("eventfd", SystemCall.EVENTFD2, 0, CLOSE_ON_EXEC));
        pump = Thread.ofPlatform().daemon().name(name).stackSize(256 << 10).unstarted(() -> {
            try (file;
                    wake) {
                pump(received);
            } finally {
                ended.run();
            }
        });
    }

    void begin() {
        pump.start();
    }

    private void pump(Consumer<byte[]> received) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polls = arena.allocate(16, 8);
            polls.set(ValueLayout.JAVA_INT, 0, file.number());
            polls.set(ValueLayout.JAVA_SHORT, 4, READABLE);
            polls.set(ValueLayout.JAVA_INT, 8, wake.number());
            polls.set(ValueLayout.JAVA_SHORT, 12, READABLE);
            MemorySegment buffer = arena.allocate(BUFFER);
            while (true) {
                try {
                    CLibrary.call("poll", SystemCall.PPOLL, polls.address(), 2);
                    if (polls.get(ValueLayout.JAVA_SHORT, 14) != 0) {
                        return;
                    }
                    long count = CLibrary.call("read", SystemCall.READ, file.number(), buffer.address(), BUFFER);
                    if (count == 0) {
                        return;
                    }
                    received.accept(buffer.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE));
                } catch (SystemException e) {
                    // A terminal whose other side was closed says EIO.
                    if (!e.is(ErrorCode.EAGAIN) && !e.is(ErrorCode.EINTR)) {
                        return;
                    }
                }
            }
        }
    }

    /** What goes out; waits without holding a carrier thread while the other side does not read. */
    public OutputStream output(int largestPiece, Runnable onClose) {
        return new PieceOutput() {
            @Override
            int send(byte[] bytes, int offset, int length) throws IOException {
                return Duplex.this.send(bytes, offset, Math.min(largestPiece, length));
            }

            @Override
            public void close() {
                onClose.run();
            }
        };
    }

    private int send(byte[] bytes, int offset, int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(length);
            MemorySegment.copy(bytes, offset, piece, ValueLayout.JAVA_BYTE, 0, length);
            while (true) {
                try {
                    return (int) CLibrary.call("write", SystemCall.WRITE, number(), piece.address(), length);
                } catch (SystemException e) {
                    if (!e.is(ErrorCode.EAGAIN) && !e.is(ErrorCode.EINTR)) {
                        throw e;
                    }
                    Thread.sleep(5);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException();
        }
    }

    private int number() throws IOException {
        if (!pump.isAlive()) {
            throw new IOException("the other side is gone");
        }
        return file.number();
    }

    /** Tells the other side of a socket that nothing more comes. */
    public void endOutput() {
        try {
            CLibrary.call("shutdown", SystemCall.SHUTDOWN, number(), SHUT_WRITE);
        } catch (IOException e) {
            // It is gone, and knows.
            return;
        }
    }

    /** Tells a terminal how large its window is. */
    public void resize(int columns, int rows) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 8);
            size.set(ValueLayout.JAVA_SHORT, 0, (short) rows);
            size.set(ValueLayout.JAVA_SHORT, 2, (short) columns);
            CLibrary.call("resize terminal", SystemCall.IOCTL, number(), WINDOW_SIZE, size.address());
        }
    }

    @Override
    public void close() {
        try (Arena arena = Arena.ofConfined()) {
            if (pump.isAlive()) {
                MemorySegment one = arena.allocate(8, 8);
                one.set(ValueLayout.JAVA_LONG, 0, 1);
                CLibrary.call("wake", SystemCall.WRITE, wake.number(), one.address(), 8);
            }
        } catch (SystemException e) {
            // It ended meanwhile.
            return;
        }
    }
}
