package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** What new files in a directory may be, whatever umask their makers have: its default access control list. */
public final class DefaultAccess {
    private static final int VERSION = 2;
    private static final short READ_WRITE_SEARCH = 7;
    private static final short[] OWNER_GROUP_OTHERS = {0x01, 0x04, 0x20};

    private DefaultAccess() {}

    /** New files and directories get just what their makers ask for, as if nobody had a umask. */
    public static void ignoreUmask(Path directory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(4 + 8L * OWNER_GROUP_OTHERS.length, 4);
            list.set(ValueLayout.JAVA_INT, 0, VERSION);
            long at = 4;
            for (short tag : OWNER_GROUP_OTHERS) {
                list.set(ValueLayout.JAVA_SHORT, at, tag);
                list.set(ValueLayout.JAVA_SHORT, at + 2, READ_WRITE_SEARCH);
                list.set(ValueLayout.JAVA_INT, at + 4, -1);
                at += 8;
            }
            CLibrary.call(
                    "set the default access of " + directory,
                    SystemCall.SETXATTR,
                    CLibrary.string(arena, directory.toString()).address(),
                    CLibrary.string(arena, "system.posix_acl_default").address(),
                    list.address(),
                    list.byteSize(),
                    0);
        }
    }
}
