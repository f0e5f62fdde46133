package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

import lavaflow.linux.FileTree;
import lavaflow.linux.Mounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machine's files in pieces. Inside a user namespace an overlay can have no directory below which the machine has mounted
 * something, because that might be hiding what nobody should see; so {@code /} is out of question. What is overlaid instead are
 * the largest directories without mounts, each by itself, over a skeleton of what lies between them. Where that would be too many
 * pieces, or would leave large files out, a directory of programs is bound as it is, read-only: nobody could have changed it
 * anyway. Of other directories that would be many pieces, as {@code /etc} where engines mount files, the small ones are copied.
 */
final class HostParts {
    private static final Logger LOG = LoggerFactory.getLogger(HostParts.class);
    private static final Set<String> KERNEL = Set.of("proc", "sys", "dev");
    /** Where programs are: nothing in there is hidden from anybody. */
    private static final Set<String> PROGRAMS = Set.of("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32");

    private static final int DEPTH = 5;
    /** Into so many pieces a directory may be divided. */
    private static final int FEW = 16;

    /** What a directory that is copied may hold, and all of them. */
    private static final long SMALL_FILES = 100;

    private static final long SMALL_BYTES = 256 << 10;
    private static final long ALL_COPIED = 6 << 20;
    private static final long PAGE = 4096;

    private static final int MOST_PARTS = 64;
    private static final long LARGEST_COPY = 256 << 10;

    /**
     * A directory, relative to the root.
     *
     * @param bound whether it is bound with all that is mounted in it; otherwise it is overlaid
     */
    record Part(Path directory, boolean bound) {}

    private final Path host;
    private final Path layer;
    private final List<Path> hidden;
    private final List<Path> mounted;
    private final List<Part> parts = new ArrayList<>();
    private long copied;

    private HostParts(Path host, Path layer, List<Path> hidden, List<Path> mounted) {
        this.host = host;
        this.layer = layer;
        this.hidden = hidden;
        this.mounted = mounted;
    }

    /**
     * Adds the skeleton to the layer that hides files, and tells which directories go into it.
     *
     * @param hidden what else the layer hides
     * @param table what is mounted
     */
    static List<Part> prepare(Path host, Path layer, List<Path> hidden, List<Mounts.Entry> table) throws IOException {
        HostParts parts = new HostParts(
                host,
                layer,
                hidden,
                table.stream()
                        .filter(mount -> !WayOut.isOfNames(mount))
                        .map(Mounts.Entry::target)
                        .filter(target -> target.startsWith(host) && !target.equals(host))
                        .map(host::relativize)
                        .toList());
        parts.add(Path.of(""), 0, false);
        return parts.parts;
    }

    /**
     * Adds what is in a directory.
     *
     * @param sparing whether directories in it are copied if they are small
     */
    private void add(Path directory, int depth, boolean sparing) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (var stream = Files.newDirectoryStream(host.resolve(directory))) {
            stream.forEach(entries::add);
        } catch (java.nio.file.AccessDeniedException e) {
            return;
        }
        // Nothing of the machine is as needed as its programs.
        entries.sort(Comparator.comparing((Path entry) -> !isOfPrograms(host.relativize(entry)))
                .thenComparing(Comparator.naturalOrder()));
        for (Path entry : entries) {
            Path relative = host.relativize(entry);
            if (Files.isSymbolicLink(entry)) {
                link(entry, relative);
            } else if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                directory(relative, depth, sparing);
            } else if (depth > 0 && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                copy(entry, relative);
            }
        }
    }

    private void link(Path entry, Path relative) throws IOException {
        try {
            Files.createSymbolicLink(layer.resolve(relative), Files.readSymbolicLink(entry));
        } catch (FileAlreadyExistsException e) {
            LOG.trace("{} is hidden", relative);
        }
    }

    private void directory(Path relative, int depth, boolean sparing) throws IOException {
        Path made = layer.resolve(relative);
        if (Files.exists(made, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(made, LinkOption.NOFOLLOW_LINKS)) {
            return; // hidden
        }
        if (Files.notExists(made)) {
            Files.createDirectory(made);
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        boolean readable = Files.isReadable(host.resolve(relative)) && Files.isExecutable(host.resolve(relative));
        boolean ofKernel = depth == 0 && KERNEL.contains(relative.toString());
        if (ofKernel || HostMask.isEmptied(relative) || !readable || mounted.contains(relative)) {
            return;
        }
        boolean divided = mounted.stream().anyMatch(target -> target.startsWith(relative));
        if (divided && isOfPrograms(relative) && !hides(relative) && hasMuch(relative)) {
            parts.add(new Part(relative, true));
        } else if (divided && depth < DEPTH) {
            add(relative, depth + 1, hasManyDirectories(relative));
        } else if (!divided && sparing && isSmall(relative)) {
            add(relative, depth + 1, true);
        } else if (!divided && parts.size() < MOST_PARTS) {
            parts.add(new Part(relative, false));
        } else {
            LOG.warn("containers over the machine's files do not see /{}", relative);
        }
    }

    private static boolean isOfPrograms(Path relative) {
        return PROGRAMS.contains(relative.getName(0).toString());
    }

    private boolean hides(Path relative) {
        Path whole = host.resolve(relative);
        return hidden.stream().anyMatch(each -> each.startsWith(whole) || whole.startsWith(each));
    }

    private boolean hasMuch(Path relative) throws IOException {
        try (var stream = Files.newDirectoryStream(
                host.resolve(relative),
                entry -> Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS) && Files.size(entry) > LARGEST_COPY)) {
            return stream.iterator().hasNext() || hasManyDirectories(relative);
        }
    }

    private boolean hasManyDirectories(Path relative) throws IOException {
        int directories = 0;
        try (var stream = Files.newDirectoryStream(
                host.resolve(relative), entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))) {
            for (Iterator<Path> each = stream.iterator(); each.hasNext(); each.next()) {
                directories++;
            }
        } catch (java.nio.file.AccessDeniedException e) {
            return false;
        }
        return directories > FEW;
    }

    private boolean isSmall(Path relative) {
        FileTree.Space space = FileTree.measure(host.resolve(relative), SMALL_FILES + 1);
        return space.files() <= SMALL_FILES && space.bytes() <= SMALL_BYTES && copied + space.bytes() <= ALL_COPIED;
    }

    /** Files between the parts are few: in /etc, where engines mount some, and beside file systems of their own. */
    private void copy(Path entry, Path relative) throws IOException {
        Path made = layer.resolve(relative);
        if (Files.notExists(made, LinkOption.NOFOLLOW_LINKS)
                && Files.isReadable(entry)
                && Files.size(entry) <= LARGEST_COPY) {
            Files.copy(entry, made, LinkOption.NOFOLLOW_LINKS);
            copied += Files.size(made) + PAGE;
            Files.setPosixFilePermissions(
                    made, PosixFilePermissions.fromString(Files.isExecutable(entry) ? "rwxr-xr-x" : "rw-r--r--"));
        }
    }
}
