package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The program that this process runs. */
public final class Program {
    private static final int FIRST_FILE = 3;
    private static final int CLOSE_ON_EXEC = 4;
    private static final int SET_DESCRIPTOR_FLAGS = 2;

    private Program() {}

    /**
     * Runs another program in this process, which keeps its number, its streams and its directory. Does not return.
     *
     * @param arguments the first is the path of the program
     * @param environment NAME=value
     */
    public static void become(List<String> arguments, List<String> environment) throws IOException {
        become(arguments, environment, null);
    }

    /** The same with one more open file, which keeps its number. */
    public static void become(List<String> arguments, List<String> environment, @Nullable OpenFile kept)
            throws IOException {
        try {
            CLibrary.call("close files", SystemCall.CLOSE_RANGE, FIRST_FILE, 0xffffffffL, CLOSE_ON_EXEC);
        } catch (SystemException e) {
            // Kernels before 5.11 hand a few open archives over, which do no harm.
            if (!e.is(ErrorCode.EINVAL) && !e.is(ErrorCode.ENOSYS)) {
                throw e;
            }
        }
        if (kept != null) {
            CLibrary.call("keep a file", SystemCall.FCNTL, kept.number(), SET_DESCRIPTOR_FLAGS, 0);
        }
        try (Arena arena = Arena.ofConfined()) {
            CLibrary.call(
                    arguments.getFirst(),
                    SystemCall.EXECVE,
                    CLibrary.string(arena, arguments.getFirst()).address(),
                    CLibrary.strings(arena, arguments, arguments.size()).address(),
                    CLibrary.strings(arena, environment, environment.size()).address());
        }
    }
}
