package lavaflow.image;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Set;

/**
 * Directories that were made here rather than fetched. {@code NAME/tree} is the directory, {@code NAME/size} its size, written
 * last; both come by one renaming.
 */
final class TreeStore {
    private final Path directory;

    TreeStore(Path directory) {
        this.directory = directory;
    }

    /** The size of a tree that is there. */
    Optional<Long> find(String name) throws IOException {
        try {
            return Optional.of(Long.parseLong(
                    Files.readString(directory.resolve(name).resolve("size")).trim()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Makes a tree visible that was made in {@code place/tree}. */
    long add(Path place, String name) throws IOException {
        long size = FileTrees.size(place.resolve("tree"));
        Files.writeString(place.resolve("size"), size + "\n");
        Files.createDirectories(directory);
        Files.move(place, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        return size;
    }

    /** Takes away trees nobody needs; they are needed by their name or a path below it. Called while the store is locked. */
    long keepOnly(Set<String> needed, WorkArea.Job job) throws IOException {
        long freed = 0;
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (DirectoryStream<Path> places = Files.newDirectoryStream(directory)) {
            for (Path place : places) {
                String name = place.getFileName().toString();
                boolean kept = needed.stream().anyMatch(path -> path.equals(name) || path.startsWith(name + "/"));
                if (!kept) {
                    freed += find(name).orElse(0L);
                    Files.move(place, job.place(), StandardCopyOption.ATOMIC_MOVE);
                }
            }
        }
        return freed;
    }
}
