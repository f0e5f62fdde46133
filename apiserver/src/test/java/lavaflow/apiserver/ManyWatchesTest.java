package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Watches are many and quiet: they must not take from others what is scarce, nor stay when their client is gone. */
final class ManyWatchesTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    Path directory;

    private static BufferedReader open(TestingServer server) throws IOException, InterruptedException {
        InputStream stream = server.oldStream(MAPS + "?watch=true");
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    @Test
    void leaveRoomForOtherRequestsOverHttp1() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            List<BufferedReader> watches = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                watches.add(open(server));
            }

            assertThat(server.post(MAPS, "{\"metadata\":{\"name\":\"seen\"}}").code())
                    .isEqualTo(201);

            for (BufferedReader watch : watches) {
                assertThat(Json.parse(watch.readLine())
                                .at("/object/metadata/name")
                                .asText())
                        .isEqualTo("seen");
                watch.close();
            }
        }
    }

    @Test
    void areForgottenWhenTheirClientLeaves() throws Exception {
        try (TestingServer server = new TestingServer(directory)) {
            BufferedReader watch = open(server);
            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 1);

            watch.close();

            await().atMost(Duration.ofMinutes(1)).until(() -> server.watches() == 0);
        }
    }
}
