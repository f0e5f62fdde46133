package lavaflow.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

/**
 * Goes through a tree, depth first, from one open directory to the next. Java's own way asks for whole paths, which end after
 * 4096 bytes while trees do not, and keeps a file open for each level and what it read of it in memory. Here a level costs
 * three numbers: the way back is {@code ..}, which must be what it was, or somebody moved what is looked at.
 */
final class FileWalk {
    /** So many levels stay open: usual trees are walked without asking the way back. */
    private static final int OPEN_LEVELS = 16;
    /** How often a directory is read from its beginning, in which something turns up again and again. */
    private static final int PASSES = 100;

    private static final int AT_CURRENT = -100;
    private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");
    private static final int OPEN_DIRECTORY = ARM ? 0x4000 : 0x10000;
    private static final int NO_FOLLOW_OPEN = ARM ? 0x8000 : 0x20000;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NO_FOLLOW = 0x100;
    private static final int NO_AUTOMOUNT = 0x800;
    private static final int EMPTY_PATH = 0x1000;
    private static final int REMOVE_DIRECTORY = 0x200;
    private static final int BASIC = 0x7ff;
    private static final long MOUNT_ROOT = 0x2000;
    private static final int BUFFER = 8 * 1024;
    private static final int TYPE_DIRECTORY = 4;
    private static final int OWNER_ALL = 0700;

    /** What is done with what is found. */
    interface Visitor {
        /** Every entry, before it is entered; false to stop. */
        boolean visit(Entry entry) throws IOException;

        /** Whether to look into a directory. */
        boolean enter(Entry entry) throws IOException;

        /** Whether directories become empty: then each is read until nothing is left, and told of once more. */
        default boolean empties() {
            return false;
        }

        /** A directory through which the walk is, if it empties them. */
        default void leave(Entry entry) throws IOException {}
    }

    /** What is found; only good while the visitor looks at it. */
    final class Entry {
        private int directory;
        private MemorySegment name = MemorySegment.NULL;
        private int type;
        private boolean known;
        private boolean top;

        private void is(int in, MemorySegment called, int kind) {
            directory = in;
            name = called;
            type = kind;
            known = false;
        }

        boolean isTop() {
            return top;
        }

        boolean isDirectory() throws IOException {
            if (type != 0) {
                return type == TYPE_DIRECTORY;
            }
            return (Short.toUnsignedInt(facts().get(JAVA_SHORT, 28)) & FileCalls.FORMAT) == FileCalls.DIRECTORY;
        }

        /** Whether something else begins here. */
        boolean isMount() throws IOException {
            return isDirectory() && isMountRoot(facts());
        }

        long number() throws IOException {
            return facts().get(JAVA_LONG, 32);
        }

        int names() throws IOException {
            return facts().get(JAVA_INT, 16);
        }

        long bytes() throws IOException {
            return facts().get(JAVA_LONG, 48) * 512;
        }

        String shownName() {
            String text = name.getString(0, StandardCharsets.ISO_8859_1);
            return text.length() > 100 ? text.substring(0, 100) + "..." : text;
        }

        private MemorySegment facts() throws IOException {
            if (!known) {
                long result = CLibrary.attempt(
                        SystemCall.STATX, directory, name.address(), NO_FOLLOW | NO_AUTOMOUNT, BASIC, found.address());
                check(result);
                known = true;
            }
            return found;
        }

        private void check(long result) throws IOException {
            if (result == -ErrorCode.ENOENT) {
                throw new NoSuchFileException(shownName());
            }
            if (result < 0) {
                throw new SystemException(shownName(), (int) -result);
            }
        }

        void removeFile() throws IOException {
            remove(0);
        }

        /** False if there is something in it. */
        boolean removeDirectory() throws IOException {
            return remove(REMOVE_DIRECTORY);
        }

        private boolean remove(int how) throws IOException {
            long result = CLibrary.attempt(SystemCall.UNLINKAT, directory, name.address(), how);
            if (result == -ErrorCode.EACCES && CLibrary.attempt(SystemCall.FCHMOD, directory, OWNER_ALL) == 0) {
                // Ours, but its owner may not write into it either.
                result = CLibrary.attempt(SystemCall.UNLINKAT, directory, name.address(), how);
            }
            if (result == -ErrorCode.ENOTEMPTY || result == -ErrorCode.EEXIST) {
                return false;
            }
            if (result != -ErrorCode.ENOENT) {
                check(result);
            }
            return true;
        }
    }

    /** A directory on the way. */
    private static final class Level {
        private final long number;
        /** Where to go on reading. */
        private long position;
        /** Minus one where it was closed to have fewer files open. */
        private int file;

        private int passes;
        private boolean foundSomething;
        /** Of what was read, how much there is and how far it was looked at. */
        private int count;

        private int at;
        /** Whether what is read next is not what comes next. */
        private boolean lost;

        Level(int file, long number) {
            this.file = file;
            this.number = number;
        }
    }

    private final Visitor visitor;
    private final MemorySegment found;
    /** What was read of the levels that are open. */
    private final List<MemorySegment> buffers = new ArrayList<>();

    private final MemorySegment dots;
    private final Entry entry = new Entry();
    private final List<Level> levels = new ArrayList<>();
    private long device;
    private boolean stopped;
    /** The directory that was left last. */
    private long left = -1;

    private FileWalk(Visitor visitor, Arena arena) {
        this.visitor = visitor;
        found = arena.allocate(256, 8);
        for (int i = 0; i < OPEN_LEVELS; i++) {
            buffers.add(arena.allocate(BUFFER, 8));
        }
        dots = CLibrary.string(arena, "..");
    }

    static void walk(Path path, Visitor visitor) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = Objects.requireNonNull(absolute.getParent());
        try (Arena arena = Arena.ofConfined();
                OpenFile directory = openDirectory(arena, parent)) {
            FileWalk walk = new FileWalk(visitor, arena);
            walk.run(directory.number(), bytes(arena, Objects.requireNonNull(absolute.getFileName())));
        }
    }

    /** A path as it is on disk; where language settings cannot write it, its text is not it. */
    private static MemorySegment bytes(Arena arena, Path path) {
        String text = path.toString();
        if (text.chars().allMatch(character -> character < 128)) {
            return CLibrary.string(arena, text);
        }
        String uri = path.isAbsolute()
                ? path.toUri().getRawPath()
                : Path.of("/").resolve(path).toUri().getRawPath().substring(1);
        uri = uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        return arena.allocateFrom(
                URLDecoder.decode(uri.replace("+", "%2B"), StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
    }

    private static OpenFile openDirectory(Arena arena, Path path) throws IOException {
        long file = CLibrary.attempt(
                SystemCall.OPENAT, AT_CURRENT, bytes(arena, path).address(), OPEN_DIRECTORY | CLOSE_ON_EXEC);
        if (file == -ErrorCode.ENOENT) {
            throw new NoSuchFileException(path.toString());
        }
        if (file < 0) {
            throw new SystemException("open " + path, (int) -file);
        }
        return new OpenFile((int) file);
    }

    private void run(int parent, MemorySegment name) throws IOException {
        entry.is(parent, name, 0);
        entry.top = true;
        // Of another device than what it is in, if it is a mount; what is in it is compared with it.
        device = deviceOf(entry.facts());
        if (visitor.visit(entry) && entry.isDirectory() && visitor.enter(entry)) {
            try {
                descend();
                entry.top = false;
                while (!levels.isEmpty() && !stopped) {
                    read(levels.getLast());
                }
            } finally {
                levels.forEach(FileWalk::close);
            }
            if (visitor.empties()) {
                entry.is(parent, name, TYPE_DIRECTORY);
                entry.top = true;
                visitor.leave(entry);
            }
        }
    }

    /** Goes on in a directory, until there is one to enter, or nothing more. */
    private void read(Level level) throws IOException {
        MemorySegment buffer = buffers.get(levels.size() % OPEN_LEVELS);
        while (level.at < level.count || fill(level, buffer)) {
            long at = level.at;
            MemorySegment name = buffer.asSlice(at + 19, Short.toUnsignedLong(buffer.get(JAVA_SHORT, at + 16)) - 19);
            if (!isDots(name)) {
                level.foundSomething = true;
                entry.is(level.file, name, buffer.get(JAVA_BYTE, at + 18));
                boolean entering = isDirectoryToEnter();
                if (stopped) {
                    return;
                }
                if (!entering || !visitor.empties()) {
                    advance(level, buffer);
                }
                // A directory that empties is looked at again, to be told of.
                if (entering) {
                    descend();
                    return;
                }
            } else {
                advance(level, buffer);
            }
        }
        ascend(level);
    }

    private static void advance(Level level, MemorySegment buffer) {
        level.position = buffer.get(JAVA_LONG, level.at + 8);
        level.at += Short.toUnsignedInt(buffer.get(JAVA_SHORT, level.at + 16));
    }

    private static boolean fill(Level level, MemorySegment buffer) throws IOException {
        if (level.lost) {
            CLibrary.call("seek", SystemCall.LSEEK, level.file, level.position, 0);
            level.lost = false;
        }
        level.at = 0;
        level.count =
                (int) CLibrary.call("read directory", SystemCall.GETDENTS64, level.file, buffer.address(), BUFFER);
        return level.count > 0;
    }

    private static boolean isDots(MemorySegment name) {
        return name.get(JAVA_BYTE, 0) == '.'
                && (name.get(JAVA_BYTE, 1) == 0 || (name.get(JAVA_BYTE, 1) == '.' && name.get(JAVA_BYTE, 2) == 0));
    }

    private boolean isDirectoryToEnter() throws IOException {
        try {
            if (left >= 0 && entry.isDirectory() && entry.number() == left) {
                left = -1;
                visitor.leave(entry);
                return false;
            }
            if (!visitor.visit(entry)) {
                stopped = true;
                return false;
            }
            return entry.isDirectory() && visitor.enter(entry);
        } catch (NoSuchFileException _) {
            // It went while it was looked at.
            return false;
        }
    }

    private void descend() throws IOException {
        int flags = OPEN_DIRECTORY | NO_FOLLOW_OPEN | CLOSE_ON_EXEC;
        long file = CLibrary.attempt(SystemCall.OPENAT, entry.directory, entry.name.address(), flags);
        if (file < 0) {
            if (file == -ErrorCode.ENOENT || !visitor.empties()) {
                return;
            }
            throw new SystemException("open " + entry.shownName(), (int) -file);
        }
        statOpen((int) file);
        if (!entry.top && isMountRoot(found)) {
            close((int) file);
            throw new IOException("something was mounted at " + entry.shownName());
        }
        levels.add(new Level((int) file, found.get(JAVA_LONG, 32)));
        if (levels.size() > OPEN_LEVELS) {
            close(levels.get(levels.size() - 1 - OPEN_LEVELS));
        }
    }

    private void ascend(Level level) throws IOException {
        if (visitor.empties() && level.foundSomething && ++level.passes < PASSES) {
            // Some file systems lose their place when what is before it goes.
            level.foundSomething = false;
            level.position = 0;
            level.lost = true;
            return;
        }
        levels.removeLast();
        try {
            Level above = levels.isEmpty() ? null : levels.getLast();
            if (above != null && above.file < 0) {
                above.file = (int) CLibrary.call(
                        "open ..", SystemCall.OPENAT, level.file, dots.address(), OPEN_DIRECTORY | CLOSE_ON_EXEC);
                statOpen(above.file);
                if (found.get(JAVA_LONG, 32) != above.number || deviceOf(found) != device) {
                    throw new IOException("a directory was moved away while it was looked at");
                }
            }
            left = visitor.empties() ? level.number : -1;
        } finally {
            close(level);
        }
    }

    private void statOpen(int file) throws IOException {
        CLibrary.call("stat", SystemCall.STATX, file, dots.address() + 2, EMPTY_PATH, BASIC, found.address());
    }

    private boolean isMountRoot(MemorySegment facts) {
        return (facts.get(JAVA_LONG, 8) & MOUNT_ROOT) != 0 || deviceOf(facts) != device;
    }

    private static long deviceOf(MemorySegment facts) {
        return (long) facts.get(JAVA_INT, 136) << 32 | Integer.toUnsignedLong(facts.get(JAVA_INT, 140));
    }

    private static void close(Level level) {
        if (level.file >= 0) {
            close(level.file);
            level.file = -1;
            level.lost = true;
            level.count = 0;
            level.at = 0;
        }
    }

    private static void close(int file) {
        CLibrary.attempt(SystemCall.CLOSE, file);
    }
}
