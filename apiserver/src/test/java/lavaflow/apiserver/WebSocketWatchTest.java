package lavaflow.apiserver;

import java.net.URI;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Watches over WebSockets, which the fabric8 client tries first: one event a message, nothing from the client. */
final class WebSocketWatchTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    Path directory;

    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final StringBuilder message = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            message.append(data);
            if (last) {
                received.add(message.toString());
                message.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            received.add("closed with " + code);
            return null;
        }

        String next() throws InterruptedException {
            return String.valueOf(received.poll(60, TimeUnit.SECONDS));
        }
    }

    private static WebSocket open(TestingServer server, String path, Messages messages) {
        URI https = server.uri(path);
        return server.admin()
                .newWebSocketBuilder()
                .buildAsync(URI.create(https.toString().replace("https:", "wss:")), messages)
                .join();
    }

    @Test
    void carriesEventsAndEndsInTime() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            server.post(MAPS, "{\"metadata\":{\"name\":\"seen\"}}");
            Messages messages = new Messages();
            open(server, MAPS + "?watch=true&timeoutSeconds=1", messages);

            JsonNode event = Json.parse(messages.next());
            assertThat(event.path("type").asText()).isEqualTo("ADDED");
            assertThat(event.at("/object/metadata/name").asText()).isEqualTo("seen");
            assertThat(messages.next()).isEqualTo("closed with 1000");
        }
    }

    @Test
    void carriesChangesWhileItIsOpen() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            Messages messages = new Messages();
            open(server, MAPS + "?watch=true", messages);
            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 1);

            server.post(MAPS, "{\"metadata\":{\"name\":\"new\"}}");

            assertThat(Json.parse(messages.next()).at("/object/metadata/name").asText())
                    .isEqualTo("new");
        }
    }

    @Test
    void isForgottenWhenTheClientLeaves() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            WebSocket socket = open(server, MAPS + "?watch=true", new Messages());
            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 1);

            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();

            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 0);
        }
    }

    @Test
    void isRefusedAsAnyOtherRequest() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            String path = MAPS + "?watch=true&labelSelector=a%20b";
            assertThat(server.get(path, "Sec-WebSocket-Version", "13").code()).isEqualTo(400);
        }
    }
}
