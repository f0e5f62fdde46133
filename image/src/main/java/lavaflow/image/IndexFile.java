package lavaflow.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * The file in which the index is kept. Replaced as a whole, so that readers see one state or the next; another process may be
 * the one that writes. Read again only when it is another file than before.
 */
final class IndexFile {
    private final Path file;
    private @Nullable Cached cached;

    private record Cached(Object key, Object changed, long size, StoreIndex index) {}

    IndexFile(Path file) {
        this.file = file;
    }

    synchronized StoreIndex read() throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            Cached before = cached;
            if (before != null
                    && before.key().equals(attributes.fileKey())
                    && before.changed().equals(attributes.lastModifiedTime())
                    && before.size() == attributes.size()) {
                return before.index();
            }
            StoreIndex index = StoreIndex.parse(Files.readAllBytes(file));
            cached = new Cached(
                    Objects.requireNonNullElse(attributes.fileKey(), ""),
                    attributes.lastModifiedTime(),
                    attributes.size(),
                    index);
            return index;
        } catch (NoSuchFileException e) {
            cached = null;
            return StoreIndex.EMPTY;
        }
    }

    /** Called while the store is locked. */
    StoreIndex change(UnaryOperator<StoreIndex> change) throws IOException {
        StoreIndex before = read();
        StoreIndex after = change.apply(before);
        if (!after.equals(before)) {
            Path next = file.resolveSibling(file.getFileName() + ".new");
            try (FileChannel channel = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(after.toJson());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        return after;
    }
}
