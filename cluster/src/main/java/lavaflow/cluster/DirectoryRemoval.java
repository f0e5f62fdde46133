package lavaflow.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Removes a directory that programs nobody trusts have filled. Links are removed, not followed; nothing is removed while
 * something is mounted there. What lies deeper than paths reach is moved up first.
 */
final class DirectoryRemoval extends SimpleFileVisitor<Path> {
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    /** Longer paths are not used, though twice as long ones would do. */
    private static final int LONG_PATH = 2000;

    private final Path top;
    private int moved;

    private DirectoryRemoval(Path top) {
        this.top = top;
    }

    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.exists(MOUNTS)) {
            refuseMounts(
                    directory.toRealPath(LinkOption.NOFOLLOW_LINKS),
                    new String(Files.readAllBytes(MOUNTS), StandardCharsets.UTF_8));
        }
        DirectoryRemoval removal = new DirectoryRemoval(directory);
        do {
            removal.moved = 0;
            Files.walkFileTree(directory, removal);
        } while (removal.moved > 0);
    }

    static void refuseMounts(Path directory, String table) throws IOException {
        for (String line : table.split("\n", -1)) {
            String[] words = line.split(" ", 6);
            if (words.length > 5 && Path.of(unescaped(words[4])).startsWith(directory)) {
                throw new IOException("something is mounted at " + unescaped(words[4]));
            }
        }
    }

    private static String unescaped(String path) {
        return OCTAL.matcher(path)
                .replaceAll(
                        octal -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(octal.group(1), 8))));
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
        if (directory.toString().length() - top.toString().length() < LONG_PATH) {
            return FileVisitResult.CONTINUE;
        }
        moved++;
        Path free = top.resolve("moved-" + moved);
        while (Files.exists(free, LinkOption.NOFOLLOW_LINKS)) {
            moved++;
            free = top.resolve("moved-" + moved);
        }
        Files.move(directory, free);
        return FileVisitResult.SKIP_SUBTREE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Files.delete(file);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
        if (failure != null) {
            throw failure;
        }
        // What was moved here is for the next time.
        if (!directory.equals(top) || moved == 0) {
            Files.delete(directory);
        }
        return FileVisitResult.CONTINUE;
    }
}
