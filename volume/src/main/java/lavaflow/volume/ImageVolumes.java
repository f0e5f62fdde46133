package lavaflow.volume;

import java.nio.file.Path;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gets the files of images for volumes of them; whoever has the images provides it. */
@FunctionalInterface
public interface ImageVolumes {
    /** For nodes whose images cannot be volumes. */
    ImageVolumes NONE = (_, source, _) -> {
        throw new VolumeException("volumes of images are not supported on this node: "
                + source.path("reference").asText());
    };

    /**
     * Makes the files of an image visible.
     *
     * @param source the volume's {@code image}: its reference and pullPolicy
     * @param directory of this volume alone, in which something may be mounted; it is unmounted and deleted with the pod
     * @return where the files are, read-only
     */
    Path mount(ObjectNode pod, JsonNode source, Path directory) throws VolumeException;
}
