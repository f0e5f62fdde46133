package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

/**
 * Files as the kernel knows them: owners, all bits of the mode, devices, extended attributes, and names that are bytes. None of
 * the calls follows a link at the end of a name.
 *
 * <p>A name is a text in which each character stands for one byte (ISO 8859-1): file systems do not care for encodings, and
 * Java refuses names that the user's language settings cannot write.
 */
@SuppressWarnings("restricted")
public final class FileCalls {
    public static final int FORMAT = 0170000;
    public static final int DIRECTORY = 0040000;
    public static final int REGULAR = 0100000;
    public static final int LINK = 0120000;
    public static final int CHARACTER_DEVICE = 0020000;
    public static final int BLOCK_DEVICE = 0060000;
    public static final int PIPE = 0010000;

    private static final int AT_CURRENT = -100;
    private static final int NO_FOLLOW = 0x100;
    private static final int REMOVE_DIRECTORY = 0x200;
    private static final int CREATE_NEW = 0x1 | 0x40 | 0x80 | 0x80000; // write only, create, exclusive, closed on exec
    private static final int ALL_BASIC = 0x7ff;
    private static final int PATH_LIMIT = 4096;
    private static final boolean X86 = System.getProperty("os.arch", "").equals("amd64");

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().find("syscall").orElseThrow(),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));

    private FileCalls() {}

    /** Numbers of calls on x86-64 and on the processors whose table is the common one. */
    private enum Call {
        WRITE(1, 64),
        CLOSE(3, 57),
        LSETXATTR(189, 6),
        LGETXATTR(192, 9),
        OPENAT(257, 56),
        MKDIRAT(258, 34),
        MKNODAT(259, 33),
        FCHOWNAT(260, 54),
        UNLINKAT(263, 35),
        LINKAT(265, 37),
        SYMLINKAT(266, 36),
        READLINKAT(267, 78),
        FCHMODAT(268, 53),
        UTIMENSAT(280, 88),
        STATX(332, 291);

        private final int x86;
        private final int common;

        Call(int x86, int common) {
            this.x86 = x86;
            this.common = common;
        }
    }

    /** What is known of a file without opening it. */
    public record Status(
            int mode, int uid, int gid, long size, int links, long seconds, int nanos, int major, int minor) {
        public boolean isDirectory() {
            return (mode & FORMAT) == DIRECTORY;
        }

        public boolean isLink() {
            return (mode & FORMAT) == LINK;
        }

        public boolean isRegular() {
            return (mode & FORMAT) == REGULAR;
        }

        /** A hole that overlay file systems see in lower layers. */
        public boolean isWhiteout() {
            return (mode & FORMAT) == CHARACTER_DEVICE && major == 0 && minor == 0;
        }
    }

    private static long call(String what, Call call, long a, long b, long c, long d, long e) throws FileCallException {
        long result = attempt(what, call, a, b, c, d, e);
        if (result < 0) {
            throw new FileCallException(what, (int) -result);
        }
        return result;
    }

    /** The result, or the negative number of the error: looking for what is not there is no exception. */
    private static long attempt(String what, Call call, long a, long b, long c, long d, long e) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = (long) SYSCALL.invokeExact(state, (long) (X86 ? call.x86 : call.common), a, b, c, d, e);
            return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
        } catch (Throwable failure) {
            throw new IllegalStateException(what, failure);
        }
    }

    private static MemorySegment string(Arena arena, String text) {
        return arena.allocateFrom(text, StandardCharsets.ISO_8859_1);
    }

    private interface Body {
        long run(Arena arena, long path) throws FileCallException;
    }

    private static long at(String path, Body body) throws FileCallException {
        try (Arena arena = Arena.ofConfined()) {
            return body.run(arena, string(arena, path).address());
        }
    }

    public static void makeDirectory(String path, int mode) throws IOException {
        at(path, (_, p) -> call(path, Call.MKDIRAT, AT_CURRENT, p, mode, 0, 0));
    }

    /** Makes an empty file that was not there before. */
    public static WritableFile create(String path, int mode) throws IOException {
        return new WritableFile(path, at(path, (_, p) -> call(path, Call.OPENAT, AT_CURRENT, p, CREATE_NEW, mode, 0)));
    }

    public static void symbolicLink(String target, String path) throws IOException {
        at(path, (arena, p) -> call(path, Call.SYMLINKAT, string(arena, target).address(), AT_CURRENT, p, 0, 0));
    }

    public static void hardLink(String existing, String path) throws IOException {
        at(
                path,
                (arena, p) -> call(
                        path, Call.LINKAT, AT_CURRENT, string(arena, existing).address(), AT_CURRENT, p, 0));
    }

    /** Makes a device or a pipe; the mode says which. */
    public static void makeNode(String path, int mode, int major, int minor) throws IOException {
        long device = (minor & 0xffL) | ((major & 0xfffL) << 8) | ((minor & ~0xffL) << 12);
        at(path, (_, p) -> call(path, Call.MKNODAT, AT_CURRENT, p, mode, device, 0));
    }

    public static void changeOwner(String path, int uid, int gid) throws IOException {
        at(path, (_, p) -> call(path, Call.FCHOWNAT, AT_CURRENT, p, uid, gid, NO_FOLLOW));
    }

    /** Not for links: they have no mode of their own, and what they lead to would get it. */
    public static void changeMode(String path, int mode) throws IOException {
        at(path, (_, p) -> call(path, Call.FCHMODAT, AT_CURRENT, p, mode, 0, 0));
    }

    /** When it was changed and read last. */
    public static void changeTimes(String path, long seconds, int nanos) throws IOException {
        at(path, (arena, p) -> {
            MemorySegment times = arena.allocate(32, 8);
            times.set(JAVA_LONG, 0, seconds);
            times.set(JAVA_LONG, 8, nanos);
            times.set(JAVA_LONG, 16, seconds);
            times.set(JAVA_LONG, 24, nanos);
            return call(path, Call.UTIMENSAT, AT_CURRENT, p, times.address(), NO_FOLLOW, 0);
        });
    }

    public static void setAttribute(String path, String name, byte[] value) throws IOException {
        at(path, (arena, p) -> {
            MemorySegment bytes = arena.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, bytes, ValueLayout.JAVA_BYTE, 0, value.length);
            return call(path, Call.LSETXATTR, p, string(arena, name).address(), bytes.address(), value.length, 0);
        });
    }

    /** Whether a file has an extended attribute. */
    public static boolean hasAttribute(String path, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long file = string(arena, path).address();
            long result =
                    attempt(path, Call.LGETXATTR, file, string(arena, name).address(), 0, 0, 0);
            if (result < 0 && !FileCallException.isAbsentAttribute((int) -result)) {
                throw new FileCallException(path, (int) -result);
            }
            return result >= 0;
        }
    }

    public static String readLink(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(PATH_LIMIT);
            long length = call(
                    path, Call.READLINKAT, AT_CURRENT, string(arena, path).address(), buffer.address(), PATH_LIMIT, 0);
            return new String(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
        }
    }

    public static void removeFile(String path) throws IOException {
        at(path, (_, p) -> call(path, Call.UNLINKAT, AT_CURRENT, p, 0, 0, 0));
    }

    public static void removeDirectory(String path) throws IOException {
        at(path, (_, p) -> call(path, Call.UNLINKAT, AT_CURRENT, p, REMOVE_DIRECTORY, 0, 0));
    }

    public static Optional<Status> find(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(256, 8);
            long result = attempt(
                    path, Call.STATX, AT_CURRENT, string(arena, path).address(), NO_FOLLOW, ALL_BASIC, found.address());
            if (FileCallException.isAbsent((int) -result)) {
                return Optional.empty();
            }
            if (result < 0) {
                throw new FileCallException(path, (int) -result);
            }
            return Optional.of(new Status(
                    Short.toUnsignedInt(found.get(JAVA_SHORT, 28)),
                    found.get(JAVA_INT, 20),
                    found.get(JAVA_INT, 24),
                    found.get(JAVA_LONG, 40),
                    found.get(JAVA_INT, 16),
                    found.get(JAVA_LONG, 112),
                    found.get(JAVA_INT, 120),
                    found.get(JAVA_INT, 128),
                    found.get(JAVA_INT, 132)));
        }
    }

    /** A file that is being written. */
    public static final class WritableFile implements AutoCloseable {
        private static final int BUFFER = 128 * 1024;

        private final String path;
        private final long number;

        private WritableFile(String path, long number) {
            this.path = path;
            this.number = number;
        }

        public void write(byte[] bytes, int from, int count) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment buffer = arena.allocate(Math.clamp(count, 1, BUFFER));
                int done = 0;
                while (done < count) {
                    int chunk = Math.min(count - done, BUFFER);
                    MemorySegment.copy(bytes, from + done, buffer, ValueLayout.JAVA_BYTE, 0, chunk);
                    done += (int) call(path, Call.WRITE, number, buffer.address(), chunk, 0, 0);
                }
            }
        }

        @Override
        public void close() throws IOException {
            call(path, Call.CLOSE, number, 0, 0, 0, 0);
        }
    }
}
