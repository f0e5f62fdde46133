package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reads request bodies: bounded in size and time, in any media type a client may send. */
final class BodyReader {
    static final int MAX_BYTES = 3 * 1024 * 1024;
    /** A body that dribbles in slower than this in all is cut off. */
    private static final Duration MAX_TIME = Duration.ofSeconds(60);

    private BodyReader() {}

    static byte[] bytes(Exchange exchange) {
        String length = exchange.header("Content-Length");
        if (length != null
                && length.length() < 19
                && length.chars().allMatch(c -> c >= '0' && c <= '9')
                && !length.isEmpty()
                && Long.parseLong(length) > MAX_BYTES) {
            throw tooLarge();
        }
        long deadline = System.nanoTime() + MAX_TIME.toNanos();
        ByteArrayOutputStream all = new ByteArrayOutputStream(1024);
        byte[] buffer = new byte[8192];
        try (InputStream in = exchange.body()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                all.write(buffer, 0, read);
                if (all.size() > MAX_BYTES) {
                    throw tooLarge();
                }
                if (System.nanoTime() > deadline) {
                    throw ApiException.of(408, "Timeout", "the request body did not arrive in time");
                }
            }
        } catch (IOException e) {
            throw ApiException.badRequest("the request body could not be read: " + e.getMessage());
        }
        return all.toByteArray();
    }

    private static ApiException tooLarge() {
        return ApiException.of(413, "RequestEntityTooLarge", "Request entity too large: limit is " + MAX_BYTES);
    }

    static ApiException unsupportedMediaType(List<String> accepted) {
        return ApiException.of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: "
                        + String.join(", ", accepted));
    }

    /** A document with what was odd about it: duplicate fields are reported where they are looked for. */
    record Document(
            JsonNode tree,
            List<String> duplicates,
            @Nullable String apiVersion,
            @Nullable String kind) {
        ObjectNode object() {
            if (tree instanceof ObjectNode object) {
                return object;
            }
            throw ApiException.badRequest("the request body is not an object");
        }
    }
}
