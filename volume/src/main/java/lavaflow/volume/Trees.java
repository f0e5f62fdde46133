package lavaflow.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import lavaflow.linux.FileTree;
import lavaflow.linux.Mounts;

/** Takes whole directories away. What is mounted in them is somebody else's: it is unmounted first, and never deleted. */
final class Trees {
    private Trees() {}

    /** Deletes directories and everything in them, after whatever was mounted there. */
    static void unmountAndDelete(Path... directories) throws IOException {
        for (Path directory : directories) {
            FileTree.unmountAndDelete(directory);
        }
    }

    /** Deletes a file or directory with everything in it; fails if something is mounted in it, and touches nothing then. */
    static void delete(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Path real = real(path);
            List<Mounts.Entry> mounted = Mounts.below(List.of(real));
            if (!mounted.isEmpty()) {
                throw new IOException(
                        "something is still mounted at " + mounted.getFirst().target());
            }
            FileTree.delete(real);
        }
    }

    /** As the table of mounts calls it; the last name may be a link that is to go itself. */
    private static Path real(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = Objects.requireNonNull(absolute.getParent());
        return parent.toRealPath().resolve(Objects.requireNonNull(absolute.getFileName()));
    }
}
