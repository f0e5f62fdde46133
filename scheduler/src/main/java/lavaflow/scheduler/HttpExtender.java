package lavaflow.scheduler;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.plugins.Extender;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a program elsewhere over HTTP. The client is made when somebody is asked for the first time. */
final class HttpExtender implements Extender {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExtender.class);
    /** As much as upstream reads. */
    private static final int LONGEST_ANSWER = 10 * 1024 * 1024;

    private static final int OK = 200;

    private @Nullable HttpClient client;

    private synchronized HttpClient client() {
        HttpClient made = client;
        if (made == null) {
            made = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .executor(Executors.newVirtualThreadPerTaskExecutor())
                    .build();
            client = made;
        }
        return made;
    }

    @Override
    public JsonNode ask(String url, ObjectNode question, Duration patience) throws UnansweredException {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(question)))
                    .build();
            // The client's own limit ends with the headers; this one is for all of the answer.
            CompletableFuture<byte[]> answer = client().sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                    .thenApplyAsync(response -> body(response), Executors.newVirtualThreadPerTaskExecutor());
            try {
                byte[] bytes = answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
                return bytes.length == 0 ? Json.object() : Json.parseUntrusted(bytes);
            } finally {
                answer.cancel(true);
            }
        } catch (TimeoutException e) {
            throw unanswered(url, "no answer within " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw unanswered(url, reason(cause));
        } catch (IllegalArgumentException | JsonProcessingException e) {
            throw unanswered(url, reason(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unanswered(url, "interrupted");
        }
    }

    private static byte[] body(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            if (response.statusCode() != OK) {
                throw new MalformedException("code " + response.statusCode());
            }
            byte[] bytes = body.readNBytes(LONGEST_ANSWER + 1);
            if (bytes.length > LONGEST_ANSWER) {
                throw new MalformedException("the answer is longer than " + LONGEST_ANSWER + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }

    private static String reason(Throwable problem) {
        String message = problem.getMessage();
        return message == null || message.isEmpty() ? problem.getClass().getSimpleName() : message;
    }

    private static UnansweredException unanswered(String url, String reason) {
        LOG.debug("extender at {}: {}", url, reason);
        return new UnansweredException("failed with extender at URL " + url + ", " + reason);
    }
}
