package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Marks by which an upper layer of an overlay hides what lies below. */
public final class Overlays {
    private static final int AT_CURRENT = -100;
    private static final String OPAQUE = "trusted.overlay.opaque";
    /** For overlays mounted inside a user namespace. */
    private static final String USER_OPAQUE = "user.overlay.opaque";

    private static final int CHARACTER_DEVICE = 0x2000;

    private Overlays() {}

    /** What options an overlay needs beside its layers: inside a user namespace its marks are other ones. */
    public static String marks() {
        return UserNamespace.own().isInitial() ? "" : ",userxattr";
    }

    /** Makes a name that hides a file or directory below. */
    public static void whiteout(Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CLibrary.call(
                    "make whiteout " + path,
                    SystemCall.MKNODAT,
                    AT_CURRENT,
                    CLibrary.string(arena, path.toString()).address(),
                    CHARACTER_DEVICE,
                    0);
        }
    }

    /** Makes a directory hide what the one below has in it. */
    public static void opaque(Path directory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 'y');
            CLibrary.call(
                    "make opaque " + directory,
                    SystemCall.SETXATTR,
                    CLibrary.string(arena, directory.toString()).address(),
                    CLibrary.string(arena, UserNamespace.own().isInitial() ? OPAQUE : USER_OPAQUE)
                            .address(),
                    value.address(),
                    1,
                    0);
        }
    }
}
