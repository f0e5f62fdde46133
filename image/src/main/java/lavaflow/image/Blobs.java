package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Files of an image that is on this machine: a directory, or an archive of one. */
interface Blobs extends AutoCloseable {
    boolean has(String path) throws IOException;

    InputStream open(String path) throws IOException, ImageException;

    /** A whole file, if it is there; refused beyond the limit. */
    default Optional<byte[]> read(String path, int limit) throws IOException, ImageException {
        if (!has(path)) {
            return Optional.empty();
        }
        try (InputStream in = open(path)) {
            byte[] bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new ImageException(ImageException.Kind.TOO_LARGE, path + " has more than " + limit + " bytes");
            }
            return Optional.of(bytes);
        }
    }

    /** Content by its hash, checked. */
    default byte[] read(Descriptor descriptor, int limit) throws IOException, ImageException {
        byte[] bytes = read(pathOf(descriptor), limit)
                .orElseThrow(() ->
                        new ImageException(ImageException.Kind.DAMAGED, descriptor.digest() + " is named and missing"));
        String found = Digest.named(Digest.algorithmOf(descriptor.digest()).digest(bytes));
        if (!found.equals(descriptor.digest())) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED, "something should be " + descriptor.digest() + " and is " + found);
        }
        return bytes;
    }

    static String pathOf(Descriptor descriptor) {
        return "blobs/" + descriptor.digest().replace(':', '/');
    }

    @Override
    void close() throws IOException;
}
