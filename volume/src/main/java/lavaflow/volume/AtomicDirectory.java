package lavaflow.volume;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * A directory whose files all change at one moment, laid out as kubelet's atomic writer does: the files are in a directory
 * named after the time, {@code ..data} is a link to that directory, and what users see are links through {@code ..data}. A new
 * version is written beside the old one, and renaming one link puts it in place.
 */
final class AtomicDirectory {
    static final String DATA = "..data";
    private static final String NEXT = "..data_tmp";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("'..'yyyy_MM_dd_HH_mm_ss.").withZone(ZoneOffset.UTC);
    private static final int LONGEST_PATH = 4096;
    private static final int LONGEST_NAME = 255;

    /** What else is done to a version before anybody sees it. */
    interface Finish {
        void finish(Path version) throws IOException;
    }

    private final Path target;
    private final InstantSource clock;

    AtomicDirectory(Path target, InstantSource clock) {
        this.target = target;
        this.clock = clock;
    }

    /** Makes the files be these and no others; false if they were already. */
    boolean write(SortedMap<String, PayloadFile> payload, Finish finish) throws IOException, VolumeException {
        for (String path : payload.keySet()) {
            check(path);
        }
        Files.createDirectories(target);
        String current = current();
        Set<String> names = new LinkedHashSet<>();
        payload.keySet().forEach(path -> names.add(first(path)));
        if (current != null && holds(target.resolve(current), payload) && links().equals(names)) {
            return false;
        }
        String version = write(payload);
        finish.finish(target.resolve(version));
        Files.deleteIfExists(target.resolve(NEXT));
        Files.createSymbolicLink(target.resolve(NEXT), Path.of(version));
        Files.move(target.resolve(NEXT), target.resolve(DATA), StandardCopyOption.ATOMIC_MOVE);
        link(names);
        removeOthers(version);
        return true;
    }

    private @Nullable String current() throws IOException {
        try {
            return Files.readSymbolicLink(target.resolve(DATA)).toString();
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    private String write(SortedMap<String, PayloadFile> payload) throws IOException {
        String version = TIME.format(clock.instant())
                + Integer.toUnsignedString(ThreadLocalRandom.current().nextInt());
        Path directory = Files.createDirectory(target.resolve(version));
        FileFacts.setPermissions(directory, 0755);
        for (Map.Entry<String, PayloadFile> entry : payload.entrySet()) {
            Path file = directory.resolve(entry.getKey());
            if (!directory.equals(file.getParent())) {
                makeDirectories(directory, Path.of(entry.getKey()).getParent());
            }
            Files.write(file, entry.getValue().content());
            Long user = entry.getValue().user();
            if (user != null) {
                setUser(file, user);
            }
            FileFacts.setPermissions(file, entry.getValue().mode());
        }
        return version;
    }

    private static void makeDirectories(Path directory, @Nullable Path relative) throws IOException {
        Path made = directory;
        for (Path name : Objects.requireNonNull(relative)) {
            made = made.resolve(name);
            if (!Files.exists(made, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(made);
                FileFacts.setPermissions(made, 0755);
            }
        }
    }

    private static void setUser(Path file, long user) throws IOException {
        if (user != (int) Files.getAttribute(file, "unix:uid") && FileFacts.mayGiveToUser(user)) {
            Files.setAttribute(file, "unix:uid", (int) user);
        }
    }

    /** Modes and owners are not compared: they come from the pod, which does not change them. */
    private static boolean holds(Path version, SortedMap<String, PayloadFile> payload) throws IOException {
        for (Map.Entry<String, PayloadFile> entry : payload.entrySet()) {
            Path file = version.resolve(entry.getKey());
            byte[] content = entry.getValue().content();
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    || Files.size(file) != content.length
                    || !Arrays.equals(Files.readAllBytes(file), content)) {
                return false;
            }
        }
        return count(version) == payload.size();
    }

    private static long count(Path version) throws IOException {
        try (var files = Files.walk(version)) {
            return files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .count();
        }
    }

    /** The names users see. */
    private Set<String> links() throws IOException {
        Set<String> names = new LinkedHashSet<>();
        for (String name : entries()) {
            if (!name.startsWith("..")) {
                names.add(name);
            }
        }
        return names;
    }

    private Set<String> entries() throws IOException {
        Set<String> names = new LinkedHashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        }
        return names;
    }

    private void link(Set<String> names) throws IOException {
        for (String name : names) {
            Path link = target.resolve(name);
            if (!Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of(DATA, name));
            }
        }
        for (String name : links()) {
            if (!names.contains(name)) {
                Files.delete(target.resolve(name));
            }
        }
    }

    /** Also those that a process left behind that was killed while it wrote. */
    private void removeOthers(String version) throws IOException {
        for (String name : entries()) {
            if (name.startsWith("..") && !name.equals(version) && !name.equals(DATA)) {
                Trees.delete(target.resolve(name));
            }
        }
    }

    private static String first(String path) {
        int slash = path.indexOf('/');
        return slash < 0 ? path : path.substring(0, slash);
    }

    private static void check(String path) throws VolumeException {
        if (path.isEmpty() || path.startsWith("/")) {
            throw new VolumeException("invalid path: must be relative path: " + path);
        }
        if (path.length() > LONGEST_PATH) {
            throw new VolumeException("invalid path: must be less than or equal to " + LONGEST_PATH + " characters");
        }
        if (path.startsWith("..")) {
            throw new VolumeException("invalid path: must not start with '..': " + path);
        }
        for (String name : path.split("/", -1)) {
            if (name.equals("..")) {
                throw new VolumeException("invalid path: must not contain '..': " + path);
            }
            if (name.length() > LONGEST_NAME) {
                throw new VolumeException(
                        "invalid path: filenames must be less than or equal to " + LONGEST_NAME + " characters");
            }
        }
    }
}
