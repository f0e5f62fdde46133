package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Reads request bodies: bounded in size and time, in any media type a client may send. */
final class BodyReader {
    static final int MAX_BYTES = 3 * 1024 * 1024;
    /** A client that sends a little too much is heard out, so that it reads the refusal instead of a reset connection. */
    private static final int MAX_DRAINED = 4 * MAX_BYTES;
    /** A body that dribbles in slower than this in all is cut off. */
    private static final Duration MAX_TIME = Duration.ofSeconds(60);

    private static final int MAX_BUFFER = 8192;

    private BodyReader() {}

    static byte[] bytes(Exchange exchange) {
        long deadline = System.nanoTime() + MAX_TIME.toNanos();
        byte[] buffer = new byte[bufferSize(exchange.header("Content-Length"))];
        ByteArrayOutputStream all = new ByteArrayOutputStream(buffer.length);
        long total = 0;
        try (InputStream in = exchange.body()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                total += read;
                if (total <= MAX_BYTES) {
                    all.write(buffer, 0, read);
                } else if (total > MAX_DRAINED) {
                    throw tooLarge();
                }
                if (System.nanoTime() > deadline) {
                    throw ApiException.of(408, "Timeout", "the request body did not arrive in time");
                }
            }
        } catch (IOException e) {
            throw ApiException.badRequest("the request body could not be read: " + e.getMessage());
        }
        if (total > MAX_BYTES) {
            throw tooLarge();
        }
        return all.toByteArray();
    }

    /** Most bodies are small and say so; what they say is only a hint. */
    private static int bufferSize(@Nullable String contentLength) {
        if (contentLength == null || contentLength.isEmpty() || contentLength.length() > 4) {
            return MAX_BUFFER;
        }
        int size = 0;
        for (int i = 0; i < contentLength.length(); i++) {
            size = size * 10 + Math.floorMod(contentLength.charAt(i) - '0', 10);
        }
        return Math.clamp(size, 64, MAX_BUFFER);
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
}
