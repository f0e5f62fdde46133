package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Mounts and the table of them. */
public final class Mounts {
    public static final long READ_ONLY = 1;
    public static final long NO_SUID = 2;
    public static final long NO_DEVICES = 4;
    public static final long NO_EXEC = 8;
    public static final long REMOUNT = 32;
    public static final long BIND = 4096;
    public static final long RECURSIVE = 16384;
    public static final long PRIVATE = 1 << 18;
    public static final long SLAVE = 1 << 19;
    public static final long SHARED = 1 << 20;

    private static final long DETACH = 2;
    private static final long NO_FOLLOW = 8;

    private static final long CURRENT_DIRECTORY = -100;
    private static final long ALL_BELOW = 0x8000;
    /** What attributes to set, to clear, how changes spread, and a user namespace: four numbers. */
    private static final long ATTRIBUTE_BYTES = 32;

    private static final long LINKS_AND_AUTOMOUNTS_AS_THEY_ARE = 0x100 | 0x800;
    private static final long IS_MOUNT_ROOT = 0x2000;
    /** Where what the kernel tells of a place has its attributes, and which of them it knows. */
    private static final long ATTRIBUTES = 8;

    private static final long KNOWN_ATTRIBUTES = 56;

    private Mounts() {}

    /**
     * A line of the table.
     *
     * @param root what of the mounted file system is seen
     * @param target where
     * @param options such as rw and nosuid
     * @param optional such as shared:3
     * @param superOptions of the file system, such as lowerdir=
     */
    public record Entry(
            Path root, Path target, String options, String optional, String type, String source, String superOptions) {}

    public static void mount(String source, Path target, String type, long flags, String data) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CLibrary.call(
                    "mount " + (type.isEmpty() ? source : type) + " on " + target,
                    SystemCall.MOUNT,
                    CLibrary.string(arena, source).address(),
                    CLibrary.string(arena, target.toString()).address(),
                    type.isEmpty() ? 0 : CLibrary.string(arena, type).address(),
                    flags,
                    data.isEmpty() ? 0 : CLibrary.string(arena, data).address());
        }
    }

    public static void bind(Path source, Path target) throws IOException {
        mount(source.toString(), target, "", BIND, "");
    }

    /** Lets nobody write to a mount nor to those below it. */
    public static void makeReadOnly(Path target) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTE_BYTES, 8);
            attributes.set(ValueLayout.JAVA_LONG, 0, READ_ONLY);
            CLibrary.call(
                    "make " + target + " read-only",
                    SystemCall.MOUNT_SETATTR,
                    CURRENT_DIRECTORY,
                    CLibrary.string(arena, target.toString()).address(),
                    ALL_BELOW,
                    attributes.address(),
                    ATTRIBUTE_BYTES);
        }
    }

    /** Takes a mount away, at once even when somebody is still in it. Nothing mounted there is no error. */
    public static void unmount(Path target) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            CLibrary.call(
                    "unmount " + target,
                    SystemCall.UMOUNT2,
                    CLibrary.string(arena, target.toString()).address(),
                    DETACH | NO_FOLLOW);
        } catch (SystemException e) {
            if (!e.is(ErrorCode.EINVAL) && !e.is(ErrorCode.ENOENT)) {
                throw e;
            }
        }
    }

    /** Takes away everything mounted at or below a directory, the last first. */
    public static void unmountBelow(Path directory) throws IOException {
        for (Entry entry : below(List.of(directory)).reversed()) {
            unmount(entry.target());
        }
    }

    /**
     * Whether something is mounted at a place. The kernel is asked about this place alone: its table has some lines for every
     * pod, and it is slow to write them.
     */
    public static boolean isMounted(Path target) throws IOException {
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return false; // what is being made; an exception would cost more
        }
        if (ToldByPlace.ALWAYS) {
            return has(IS_MOUNT_ROOT, target, ATTRIBUTES);
        }
        return below(List.of(target)).stream().anyMatch(entry -> entry.target().equals(target));
    }

    /** Whether the kernel says of every place whether something is mounted there: Linux since 5.8. */
    static boolean areToldByPlace() {
        return ToldByPlace.ALWAYS;
    }

    private static final class ToldByPlace {
        static final boolean ALWAYS = isKnown();

        private static boolean isKnown() {
            try {
                return has(IS_MOUNT_ROOT, Path.of("/"), KNOWN_ATTRIBUTES);
            } catch (IOException e) {
                return false;
            }
        }
    }

    private static boolean has(long flag, Path target, long where) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(256, 8);
            CLibrary.call(
                    "look at " + target,
                    SystemCall.STATX,
                    CURRENT_DIRECTORY,
                    CLibrary.string(arena, target.toString()).address(),
                    LINKS_AND_AUTOMOUNTS_AS_THEY_ARE,
                    0,
                    found.address());
            return (found.get(ValueLayout.JAVA_LONG, where) & flag) != 0;
        } catch (SystemException e) {
            if (e.is(ErrorCode.ENOENT) || e.is(ErrorCode.ENOTDIR)) {
                return false;
            }
            throw e;
        }
    }

    /** What is mounted, in order, as this process sees it. */
    public static List<Entry> table() throws IOException {
        return below(List.of(Path.of("/")));
    }

    /**
     * What is mounted at or below some places, in order. Every pod adds lines to the table: those of no interest are not
     * taken apart.
     */
    public static List<Entry> below(List<Path> places) throws IOException {
        return parse(Files.readString(Path.of("/proc/self/mountinfo"), StandardCharsets.UTF_8), places);
    }

    static List<Entry> parse(String mountinfo, List<Path> places) {
        List<String> wanted = places.stream().map(Path::toString).toList();
        List<Entry> entries = new ArrayList<>();
        for (String line : mountinfo.lines().toList()) {
            if (!isBelow(target(line), wanted)) {
                continue;
            }
            String[] fields = line.split(" ", -1);
            int dash = 6;
            while (dash < fields.length && !fields[dash].equals("-")) {
                dash++;
            }
            if (dash + 3 >= fields.length) {
                continue;
            }
            entries.add(new Entry(
                    Path.of(unescape(fields[3])),
                    Path.of(unescape(fields[4])),
                    fields[5],
                    String.join(" ", List.of(fields).subList(6, dash)),
                    fields[dash + 1],
                    unescape(fields[dash + 2]),
                    fields[dash + 3]));
        }
        return entries;
    }

    /** The fifth field of a line. */
    private static String target(String line) {
        int begin = 0;
        for (int field = 0; field < 4; field++) {
            begin = line.indexOf(' ', begin) + 1;
        }
        int end = line.indexOf(' ', begin);
        return unescape(line.substring(begin, end < 0 ? line.length() : end));
    }

    private static boolean isBelow(String target, List<String> places) {
        for (String place : places) {
            if (target.startsWith(place)
                    && (target.length() == place.length()
                            || place.endsWith("/")
                            || target.charAt(place.length()) == '/')) {
                return true;
            }
        }
        return false;
    }

    /** The table writes blanks, tabs, line ends and backslashes as three octal digits. */
    private static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        byte[] in = field.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '\\' && i + 3 < in.length) {
                out[length++] = (byte) ((in[i + 1] - '0') * 64 + (in[i + 2] - '0') * 8 + (in[i + 3] - '0'));
                i += 3;
            } else {
                out[length++] = in[i];
            }
        }
        return new String(out, 0, length, StandardCharsets.UTF_8);
    }
}
