package lavaflow.image;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** Where an image comes from. */
public sealed interface Origin {
    /**
     * A registry.
     *
     * @param place host and perhaps path that stand for what the pattern matched; null for the registry of the image's own name
     * @param plainHttp without encryption; otherwise that is tried only on this machine itself
     * @param authority file of certificates to trust beside the usual ones
     */
    record Registry(
            @Nullable String place,
            boolean plainHttp,
            @Nullable Path authority) implements Origin {}

    /** What {@code docker save} or an OCI tool wrote into one file. */
    record Archive(Path file) implements Origin {}

    /** A directory in the layout of OCI images. */
    record Layout(Path directory) implements Origin {}

    /** A directory that is the root of a file system. */
    record Tree(Path directory, ImageConfig config) implements Origin {}

    /** The machine's own file system. */
    record Host(ImageConfig config) implements Origin {}

    /** A Python environment over the machine's own file system. */
    record FromRecipe(String recipe) implements Origin {}

    /** Something made of programs of this machine. */
    record Builtin(String name) implements Origin {}

    /** In the words of the table. */
    default String describe() {
        return switch (this) {
            case Registry registry -> registry.place() == null ? "registry" : "registry " + registry.place();
            case Archive archive -> "archive " + archive.file();
            case Layout layout -> "layout " + layout.directory();
            case Tree tree -> "directory " + tree.directory();
            case Host _ -> "host";
            case FromRecipe recipe -> "recipe " + recipe.recipe();
            case Builtin builtin -> "built-in " + builtin.name();
        };
    }
}
