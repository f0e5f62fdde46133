package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

/**
 * A program started as a child of this process. Unlike {@link Process} it costs no helper program, can hand over any open
 * files, and starts with a session of its own, so that a signal to this process's terminal does not reach it.
 */
public final class Child {
    private static final short SET_SIGNAL_DEFAULTS = 0x04;
    private static final short SET_SIGNAL_MASK = 0x08;
    private static final short NEW_SESSION = 0x80;

    /** Loaded with the first child. */
    private static final class Functions {
        static final MethodHandle SPAWN =
                CLibrary.function("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
        static final MethodHandle ACTIONS_INIT = CLibrary.function("posix_spawn_file_actions_init", ADDRESS);
        static final MethodHandle ACTIONS_DESTROY = CLibrary.function("posix_spawn_file_actions_destroy", ADDRESS);
        static final MethodHandle ADD_DUP2 =
                CLibrary.function("posix_spawn_file_actions_adddup2", ADDRESS, JAVA_INT, JAVA_INT);
        static final MethodHandle ADD_OPEN =
                CLibrary.function("posix_spawn_file_actions_addopen", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
        static final MethodHandle ADD_CLOSE_FROM =
                CLibrary.function("posix_spawn_file_actions_addclosefrom_np", ADDRESS, JAVA_INT);
        static final MethodHandle ADD_DIRECTORY =
                CLibrary.function("posix_spawn_file_actions_addchdir_np", ADDRESS, ADDRESS);
        static final MethodHandle ATTRIBUTES_INIT = CLibrary.function("posix_spawnattr_init", ADDRESS);
        static final MethodHandle SET_FLAGS = CLibrary.function("posix_spawnattr_setflags", ADDRESS, JAVA_SHORT);
        static final MethodHandle SET_DEFAULTS = CLibrary.function("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
    }

    private final long pid;
    private @Nullable Integer status;

    private Child(long pid) {
        this.pid = pid;
    }

    /** Whether the C library can do it: glibc since 2.34. */
    public static boolean supported() {
        return CLibrary.has("posix_spawn_file_actions_addclosefrom_np");
    }

    /**
     * Starts a program.
     *
     * @param arguments the first is the path of the program
     * @param environment NAME=value
     * @param files become the child's 0, 1, 2, ... in this order; null means /dev/null. It gets no others.
     */
    public static Child start(List<String> arguments, List<String> environment, List<@Nullable OpenFile> files)
            throws IOException {
        return start(arguments, environment, files, null, null);
    }

    /** As above, in a directory of its own instead of this process's. */
    public static Child startIn(
            Path directory, List<String> arguments, List<String> environment, List<@Nullable OpenFile> files)
            throws IOException {
        return start(arguments, environment, files, null, directory);
    }

    /** Starts a program whose terminal is the given one, also as its streams. */
    public static Child startOnTerminal(List<String> arguments, List<String> environment, String terminal)
            throws IOException {
        return start(arguments, environment, List.of(), terminal, null);
    }

    private static Child start(
            List<String> arguments,
            List<String> environment,
            List<@Nullable OpenFile> files,
            @Nullable String terminal,
            @Nullable Path directory)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment actions = arena.allocate(256, 16);
            MemorySegment attributes = arena.allocate(512, 16);
            check((int) Functions.ACTIONS_INIT.invokeExact(actions));
            try {
                if (terminal != null) {
                    terminalActions(arena, actions, terminal);
                } else {
                    fileActions(arena, actions, files);
                }
                if (directory != null) {
                    check((int)
                            Functions.ADD_DIRECTORY.invokeExact(actions, CLibrary.string(arena, directory.toString())));
                }
                check((int) Functions.ATTRIBUTES_INIT.invokeExact(attributes));
                check((int) Functions.SET_FLAGS.invokeExact(
                        attributes, (short) (SET_SIGNAL_DEFAULTS | SET_SIGNAL_MASK | NEW_SESSION)));
                MemorySegment allSignals = arena.allocate(128, 8);
                allSignals.fill((byte) 0xff);
                check((int) Functions.SET_DEFAULTS.invokeExact(attributes, allSignals));
                MemorySegment pid = arena.allocate(8);
                int failed = (int) Functions.SPAWN.invokeExact(
                        pid,
                        CLibrary.string(arena, arguments.getFirst()),
                        actions,
                        attributes,
                        CLibrary.strings(arena, arguments, arguments.size()),
                        CLibrary.strings(arena, environment, environment.size()));
                if (failed != 0) {
                    throw new SystemException(arguments.getFirst(), failed);
                }
                return new Child(pid.get(JAVA_INT, 0));
            } finally {
                check((int) Functions.ACTIONS_DESTROY.invokeExact(actions));
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * First everything goes to numbers above all of them, then down to where it belongs: otherwise a file could land on a
     * number that is yet to be copied. A copy onto itself would also keep close-on-exec.
     */
    private static void fileActions(Arena arena, MemorySegment actions, List<@Nullable OpenFile> files)
            throws Throwable {
        int high = files.size();
        for (OpenFile file : files) {
            high = file == null ? high : Math.max(high, file.number() + 1);
        }
        MemorySegment nothing = CLibrary.string(arena, "/dev/null");
        for (int i = 0; i < files.size(); i++) {
            OpenFile file = files.get(i);
            check(
                    file == null
                            ? (int) Functions.ADD_OPEN.invokeExact(actions, high + i, nothing, 2, 0)
                            : (int) Functions.ADD_DUP2.invokeExact(actions, file.number(), high + i));
        }
        for (int i = 0; i < files.size(); i++) {
            check((int) Functions.ADD_DUP2.invokeExact(actions, high + i, i));
        }
        check((int) Functions.ADD_CLOSE_FROM.invokeExact(actions, files.size()));
    }

    /** The first terminal that the leader of a session opens becomes the session's. */
    private static void terminalActions(Arena arena, MemorySegment actions, String terminal) throws Throwable {
        check((int) Functions.ADD_OPEN.invokeExact(actions, 0, CLibrary.string(arena, terminal), 2, 0));
        check((int) Functions.ADD_DUP2.invokeExact(actions, 0, 1));
        check((int) Functions.ADD_DUP2.invokeExact(actions, 0, 2));
        check((int) Functions.ADD_CLOSE_FROM.invokeExact(actions, 3));
    }

    private static void check(int result) throws SystemException {
        if (result != 0) {
            throw new SystemException("posix_spawn", result);
        }
    }

    public long pid() {
        return pid;
    }

    /** Runs something with its exit code when it has ended. Takes a small thread that waits. */
    public void whenEnded(java.util.function.IntConsumer listener) {
        Thread.ofPlatform().daemon().name("child " + pid).stackSize(128 << 10).start(() -> {
            try {
                listener.accept(await());
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    /** Waits for its end and gives its exit code, 128 and the signal where one ended it. Blocks the thread. */
    public synchronized int await() throws IOException {
        if (status != null) {
            return status;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8);
            while (true) {
                try {
                    CLibrary.call("wait for " + pid, SystemCall.WAIT4, pid, word.address(), 0, 0);
                    break;
                } catch (SystemException e) {
                    if (!e.is(ErrorCode.EINTR)) {
                        throw e;
                    }
                }
            }
            int raw = word.get(ValueLayout.JAVA_INT, 0);
            status = (raw & 0x7f) == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f);
            return status;
        }
    }
}
