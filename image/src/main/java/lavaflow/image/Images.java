package lavaflow.image;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The images of this machine, and where more come from. */
public interface Images extends AutoCloseable {
    /** An image that is here already, by reference as a pod writes it or by id. */
    Optional<Image> find(String reference);

    /**
     * An image that is here and may be used by somebody: one that was got with a credential only by those whose credentials
     * have opened it before.
     *
     * @param credentials asked for only where they decide
     */
    Optional<Image> findFor(String reference, Supplier<List<Credential>> credentials);

    /**
     * Gets an image, from wherever the table says; returns what is here if it is still the same and the credentials open it.
     *
     * @param credentials to try for its registry, in order
     * @param progress hears what is going on, a short line now and then
     */
    Image pull(String reference, List<Credential> credentials, Consumer<String> progress) throws ImageException;

    List<Image> list();

    /** Those that were fetched, one for each image with all its names. */
    List<ImageEntry> entries();

    /** Forgets an image and what only it needs. */
    void remove(String id) throws ImageException;

    /**
     * Forgets images, those used longest ago first, until so many bytes are free.
     *
     * @param inUse ids of those that must stay
     */
    long collect(java.util.Set<String> inUse, long bytes);

    /** Notes that a container was made of an image. */
    void used(String id);

    @Override
    void close();
}
