package lavaflow.linux;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** An open file of this process by its number; closed once. */
public final class OpenFile implements AutoCloseable {
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NON_BLOCKING = 0x800;
    private static final int NO_CONTROLLING_TERMINAL = 0x100;
    private static final int AT_CURRENT = -100;
    private static final int NAMED_PIPE = 0010000;
    private static final long IN_ROOT = 0x10;

    private final int number;
    private boolean open = true;

    OpenFile(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** Where the file can be found as long as it is open. */
    public Path path() {
        return Path.of("/proc/self/fd/" + number);
    }

    /** A pipe: what is written to the second comes out of the first. */
    public static OpenFile[] pipe() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(8);
            CLibrary.call("pipe", SystemCall.PIPE2, pair.address(), CLOSE_ON_EXEC);
            return new OpenFile[] {
                new OpenFile(pair.get(ValueLayout.JAVA_INT, 0)), new OpenFile(pair.get(ValueLayout.JAVA_INT, 4))
            };
        }
    }

    public static OpenFile read(Path path) throws IOException {
        return at(path, 0);
    }

    public static OpenFile write(Path path) throws IOException {
        return at(path, 1);
    }

    /** Opens the reading end of a named pipe without waiting for a writer; it keeps one from waiting. */
    public static OpenFile readPipe(Path path) throws IOException {
        return at(path, NON_BLOCKING);
    }

    /** Waits until something can be read or the other side is gone; false when the time is over. */
    public boolean awaitInput(long millis) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment poll = arena.allocate(8, 8);
            poll.set(ValueLayout.JAVA_INT, 0, number);
            poll.set(ValueLayout.JAVA_SHORT, 4, (short) 1);
            MemorySegment time = arena.allocate(16, 8);
            time.set(ValueLayout.JAVA_LONG, 0, millis / 1000);
            time.set(ValueLayout.JAVA_LONG, 8, millis % 1000 * 1_000_000);
            return CLibrary.call("poll", SystemCall.PPOLL, poll.address(), 1, time.address(), 0, 0) > 0;
        } catch (SystemException e) {
            if (e.is(ErrorCode.EINTR)) {
                return false;
            }
            throw e;
        }
    }

    /** Writes to a named pipe that somebody reads; fails when nobody does. */
    public static OpenFile writePipe(Path path) throws IOException {
        return at(path, 1 | NON_BLOCKING);
    }

    static OpenFile readWriteTerminal(Path path) throws IOException {
        return at(path, 2 | NO_CONTROLLING_TERMINAL);
    }

    /** Writes at once, for small messages. */
    public void send(byte[] bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            CLibrary.call("write", SystemCall.WRITE, number, text.address(), bytes.length);
        }
    }

    /** Makes a named pipe that only this user may use. */
    public static void makePipe(Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CLibrary.call(
                    "make pipe " + path,
                    SystemCall.MKNODAT,
                    AT_CURRENT,
                    CLibrary.string(arena, path.toString()).address(),
                    NAMED_PIPE | 0600,
                    0);
        }
    }

    private static OpenFile at(Path path, int flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new OpenFile((int) CLibrary.call(
                    "open " + path,
                    SystemCall.OPENAT,
                    AT_CURRENT,
                    CLibrary.string(arena, path.toString()).address(),
                    flags | CLOSE_ON_EXEC));
        }
    }

    /**
     * Opens a file below a root as a process inside that root would: links lead to places inside it, and nowhere else. Does
     * not wait for anybody at the other end of a pipe.
     */
    public static OpenFile readInside(Path root, String path) throws IOException {
        try (Arena arena = Arena.ofConfined();
                OpenFile directory = at(root, 0)) {
            MemorySegment how = arena.allocate(24, 8);
            how.set(ValueLayout.JAVA_LONG, 0, CLOSE_ON_EXEC | NON_BLOCKING);
            how.set(ValueLayout.JAVA_LONG, 16, IN_ROOT);
            return new OpenFile((int) CLibrary.call(
                    "open " + path,
                    SystemCall.OPENAT2,
                    directory.number,
                    CLibrary.string(arena, path).address(),
                    how.address(),
                    24));
        }
    }

    /** The reading end of a pipe as a stream, in place of this; a virtual thread that waits for it holds no carrier. */
    public InputStream intoInput() throws IOException {
        return PipeEnd.input(this);
    }

    /** The writing end of a pipe, likewise. */
    public OutputStream intoOutput() throws IOException {
        return PipeEnd.output(this);
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            try {
                CLibrary.call("close", SystemCall.CLOSE, number);
            } catch (SystemException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
