package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Finds files below a directory that somebody else may be changing at the same time. The kernel itself sees to it that no
 * link, no {@code ..} and no renaming leads outside; what is found stays the same file however it is called afterwards.
 */
public final class Beneath {
    private static final boolean X86 = System.getProperty("os.arch", "").equals("amd64");
    private static final long PATH_ONLY = 0x200000;
    private static final long CLOSE_ON_EXEC = 0x80000;
    private static final long DIRECTORY = X86 ? 0x10000 : 0x4000;
    private static final long NO_FOLLOW = X86 ? 0x20000 : 0x8000;

    private static final long NO_MAGIC_LINKS = 0x02;
    private static final long BENEATH = 0x08;
    private static final int AT_CURRENT = -100;
    /** The kernel asks to try again when something was renamed while it looked; a busy renamer can make it do so for long. */
    private static final int ATTEMPTS = 1000;

    /** What happens to a link at the end of the path. */
    public enum Link {
        FOLLOWED,
        TAKEN
    }

    private Beneath() {}

    /** Opens a directory to look below it; not for reading. */
    public static OpenFile directory(Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new OpenFile((int) CLibrary.call(
                    "open " + path,
                    SystemCall.OPENAT,
                    AT_CURRENT,
                    CLibrary.string(arena, path.toString()).address(),
                    PATH_ONLY | DIRECTORY | CLOSE_ON_EXEC));
        }
    }

    /**
     * Opens what is at a relative path; not for reading: its {@link OpenFile#path} leads to it.
     *
     * @throws SystemException EXDEV where the path leads outside
     */
    public static OpenFile open(OpenFile directory, String path, Link last) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment how = arena.allocate(24, 8);
            how.set(ValueLayout.JAVA_LONG, 0, PATH_ONLY | CLOSE_ON_EXEC | (last == Link.TAKEN ? NO_FOLLOW : 0));
            how.set(ValueLayout.JAVA_LONG, 16, BENEATH | NO_MAGIC_LINKS);
            MemorySegment name = CLibrary.string(arena, path);
            for (int attempt = 1; ; attempt++) {
                try {
                    return new OpenFile((int) CLibrary.call(
                            "open " + path,
                            SystemCall.OPENAT2,
                            directory.number(),
                            name.address(),
                            how.address(),
                            how.byteSize()));
                } catch (SystemException e) {
                    if (!e.is(ErrorCode.EAGAIN) || attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
        }
    }
}
