package lavaflow.image;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Content by its kind, hash and size, as manifests name it. */
record Descriptor(String mediaType, String digest, long size) {
    static Descriptor parse(@Nullable JsonNode node) throws ImageException {
        long size = Json.longAt(node, -1, "size");
        if (size < 0) {
            throw new ImageException(ImageException.Kind.DAMAGED, "a manifest names content without its size");
        }
        return new Descriptor(Json.textAt(node, "mediaType"), Digest.checked(Json.textAt(node, "digest")), size);
    }

    /** Content of which only the hash is known. */
    static Descriptor ofDigest(String digest) {
        return new Descriptor("", digest, -1);
    }
}
