package lavaflow.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whole directories that programs nobody trusts have filled: however deep they are, however many files they have, whatever is
 * moved while one looks. Links are not followed, and what is mounted in them is left alone.
 */
public final class FileTree {
    /** Second names of so many files are told apart; more of them count as files of their own. */
    private static final int MOST_LINKED = 200_000;

    /**
     * What a directory holds.
     *
     * @param bytes on disk
     * @param files also directories, links and the like
     */
    public record Space(long bytes, long files) {
        public static final Space NONE = new Space(0, 0);

        public Space plus(Space other) {
            return new Space(bytes + other.bytes, files + other.files);
        }
    }

    private FileTree() {}

    /**
     * What a file or a directory and all in it take on disk; nothing if it is not there.
     *
     * @param mostFiles after which the rest is not looked at
     */
    public static Space measure(Path path, long mostFiles) {
        Sum sum = new Sum(mostFiles);
        try {
            FileWalk.walk(path, sum);
        } catch (IOException _) {
            // It went away or was moved while it was looked at: what was seen is the answer.
        }
        return new Space(sum.bytes, sum.files);
    }

    private static final class Sum implements FileWalk.Visitor {
        private final long most;
        private final Set<Long> counted = new HashSet<>();
        private long bytes;
        private long files;

        Sum(long most) {
            this.most = most;
        }

        @Override
        public boolean enter(FileWalk.Entry entry) throws IOException {
            return entry.isTop() || !entry.isMount();
        }

        @Override
        public boolean visit(FileWalk.Entry entry) throws IOException {
            if (!entry.isTop() && entry.isMount()) {
                return true;
            }
            boolean again = !entry.isDirectory()
                    && entry.names() > 1
                    && (counted.size() < MOST_LINKED ? !counted.add(entry.number()) : counted.contains(entry.number()));
            bytes += again ? 0 : entry.bytes();
            files += again ? 0 : 1;
            return files < most;
        }
    }

    /**
     * Deletes a file or a directory with all in it, if it is there. Fails at the first thing that is mounted, without touching
     * it.
     */
    public static void delete(Path path) throws IOException {
        try {
            FileWalk.walk(path, new Removal());
        } catch (NoSuchFileException _) {
            // Somebody was faster.
        }
    }

    /** Deletes a file or a directory with all in it, after whatever was mounted there. */
    public static void unmountAndDelete(Path path) throws IOException {
        if (Mounts.areToldByPlace()) {
            try {
                delete(path);
                return;
            } catch (IOException e) {
                // The table is long and the kernel slow to write it: it is read only where something may be mounted.
                if (mountPoints(path).isEmpty()) {
                    throw e;
                }
            }
        }
        for (Path target : mountPoints(path).reversed()) {
            Mounts.unmount(target);
        }
        List<Path> left = mountPoints(path);
        if (!left.isEmpty()) {
            throw new IOException("something is still mounted at " + left.getFirst());
        }
        delete(path);
    }

    /** In the order in which they were mounted, also several at one place. The last name may be a link that is to go itself. */
    private static List<Path> mountPoints(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        if (parent == null || Files.notExists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        Path real = parent.toRealPath().resolve(absolute.getFileName());
        return Mounts.below(List.of(real)).stream().map(Mounts.Entry::target).toList();
    }

    private static final class Removal implements FileWalk.Visitor {
        @Override
        public boolean enter(FileWalk.Entry entry) throws IOException {
            refuseMount(entry);
            return true;
        }

        @Override
        public boolean empties() {
            return true;
        }

        @Override
        public boolean visit(FileWalk.Entry entry) throws IOException {
            if (!entry.isDirectory()) {
                entry.removeFile();
            }
            return true;
        }

        @Override
        public void leave(FileWalk.Entry entry) throws IOException {
            if (!entry.removeDirectory()) {
                throw new IOException("somebody writes into " + entry.shownName() + " while it is deleted");
            }
        }

        private static void refuseMount(FileWalk.Entry entry) throws IOException {
            if (entry.isMount()) {
                throw new IOException("something is still mounted at " + entry.shownName());
            }
        }
    }
}
