package lavaflow.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** An open watch: events are read as they come by a thread of their own and taken by the case when it wants them. */
final class WatchStream implements AutoCloseable {
    private static final String END = "";

    private final HttpResponse<InputStream> response;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private WatchStream(HttpResponse<InputStream> response) {
        this.response = response;
        Thread.ofVirtual().start(this::read);
    }

    static WatchStream open(ApiServer server, ApiServer.Request request) throws IOException, InterruptedException {
        return new WatchStream(server.open(request));
    }

    /** Status and headers; the body is the events. */
    Answer head() {
        return new Answer(response.statusCode(), response.headers().map(), new byte[0]);
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            // Closed by the case, or by a server that gave up: both end the stream.
        }
        lines.add(END);
    }

    /** Up to so many events, fewer where the stream ends or nothing more comes in time. */
    JsonNode take(int count, Duration patience) {
        ArrayNode events = Json.array();
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (events.size() < count) {
                String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (line == null) {
                    return events;
                }
                if (line.equals(END)) {
                    return events.add("end of stream");
                }
                events.add(Json.parse(line));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return events;
    }

    @Override
    public void close() {
        try {
            response.body().close();
        } catch (IOException e) {
            // The connection is gone already.
        }
    }
}
