package lavaflow.apiserver;

import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * OpenAPI documents by path, kept until what they describe changes, or memory is needed for something else.
 *
 * <p>The hash of a document comes from what it is made of: the version of this program and, of custom kinds, the
 * generation of their definitions. So the index of all documents costs next to nothing.
 */
final class OpenApiCache {
    private static final class Document {
        private final String hash;
        private final byte[] bytes;

        Document(String hash, byte[] bytes) {
            this.hash = hash;
            this.bytes = bytes;
        }
    }

    private final String program;
    private final Map<String, SoftReference<Document>> documents = new ConcurrentHashMap<>();

    /** @param program changes whenever documents of the same resources do */
    OpenApiCache(String program) {
        this.program = program;
    }

    String hash(String path, List<Resource> resources) {
        StringBuilder content = new StringBuilder(program).append(' ').append(path);
        for (Resource resource : resources) {
            CustomVersion custom = resource.custom();
            if (custom != null) {
                Definition definition = custom.kind().definition();
                content.append('\n')
                        .append(definition.uid())
                        .append(' ')
                        .append(definition.generation())
                        .append(' ')
                        .append(custom.kind().names());
            }
        }
        return Digests.sha512(content.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The document of some resources, made where it is not known. */
    byte[] get(String path, List<Resource> resources, Function<List<Resource>, ? extends JsonNode> make) {
        return get(path, resources, "", make);
    }

    /**
     * The same with something from elsewhere.
     *
     * @param others changes whenever that does
     */
    byte[] get(
            String path, List<Resource> resources, String others, Function<List<Resource>, ? extends JsonNode> make) {
        String hash = hash(path, resources) + others;
        Document known = find(path);
        if (known == null || !known.hash.equals(hash)) {
            known = new Document(hash, Json.bytes(make.apply(resources)));
            documents.put(path, new SoftReference<>(known));
        }
        return known.bytes;
    }

    private @Nullable Document find(String path) {
        SoftReference<Document> reference = documents.get(path);
        return reference == null ? null : reference.get();
    }
}
