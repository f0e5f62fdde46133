package lavaflow.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An image that can be had: what it consists of, and how to get at its layers.
 *
 * @param digest of its manifest; null where it has none
 */
record ImagePlan(ConfigFile config, @Nullable String digest, List<Layer> layers) {
    /** A layer as it is sent. The digest of the descriptor is empty where only the unpacked layer is known by its hash. */
    record Layer(Descriptor descriptor, String diffId, Content content) {}

    /** Opens what is sent of a layer; whoever reads it checks the hash. */
    interface Content {
        InputStream open() throws IOException, ImageException;

        /** The layer is unpacked. */
        default void done() {}
    }

    /** Names of the layers together with all below them, the lowest first. */
    static List<String> chain(List<String> diffIds) {
        List<String> chain = new ArrayList<>();
        for (String diffId : diffIds) {
            chain.add(
                    chain.isEmpty()
                            ? diffId
                            : Digest.of((chain.getLast() + " " + diffId)
                                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        }
        return chain;
    }

    static void checkCount(int layers, ConfigFile config) throws ImageException {
        if (layers != config.diffIds().size()) {
            throw new ImageException(
                    ImageException.Kind.DAMAGED,
                    "the manifest has " + layers + " layers, the configuration "
                            + config.diffIds().size());
        }
    }
}
