package lavaflow.image;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An image that is here.
 *
 * @param id {@code sha256:...}
 * @param reference one that finds it, normalised
 * @param digest {@code repository@sha256:...} where it has one, else null
 */
public record Image(
        String id, String reference, @Nullable String digest, Source source, ImageConfig config, long size) {
    /** Where its files are. */
    public sealed interface Source {}

    /** Unpacked layers, the lowest first. */
    public record Layers(List<Path> lowestFirst) implements Source {}

    /** The machine's own file system with directories laid over it, read-only. */
    public record HostTree(List<Overlaid> laidOver) implements Source {}

    /** A directory or file that is seen at another place. */
    public record Overlaid(Path source, String target) {}
}
