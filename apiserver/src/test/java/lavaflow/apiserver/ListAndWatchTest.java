package lavaflow.apiserver;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.apiserver.TestingServer.map;
import static org.assertj.core.api.Assertions.assertThat;

/** What clients see who list and watch over HTTP. */
final class ListAndWatchTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @TempDir
    static Path directory;

    static TestingServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestingServer(directory.resolve("store"));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void selectsEventsByTheNamesOfEitherGroup() throws Exception {
        server.post(
                "/api/v1/namespaces/default/events",
                "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"name\":\"chosen\",\"namespace\":\"default\"}}");
        for (String query : List.of(
                "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=chosen",
                "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name=chosen")) {
            assertThat(Json.listAt(server.get(query).json(), "items")).hasSize(1);
        }
    }

    @Test
    void readsAnObjectThoughAWatchOfItWasAsked() throws Exception {
        server.post(MAPS, map("seen", ""));
        var seen = server.get(MAPS + "/seen?watch=1");
        assertThat(Json.textAt(seen.json(), "kind")).isEqualTo("ConfigMap");
    }

    @Test
    void pagesListsAtOneRevision() throws Exception {
        String namespace = "/api/v1/namespaces/paged/configmaps";
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"paged\"}}");
        for (int i = 0; i < 5; i++) {
            server.post(namespace, map("m" + i, ""));
        }
        ObjectNode first = server.get(namespace + "?limit=2").json();
        server.delete(namespace + "/m3");
        ObjectNode second = server.get(namespace + "?limit=2&continue=" + Json.textAt(first, "metadata", "continue"))
                .json();
        assertThat(names(first)).containsExactly("m0", "m1");
        assertThat(names(second)).containsExactly("m2", "m3");
        assertThat(Json.longAt(first, 0, "metadata", "remainingItemCount")).isEqualTo(3);
        assertThat(Metadata.resourceVersion(second)).isEqualTo(Metadata.resourceVersion(first));
    }

    private static List<String> names(ObjectNode list) {
        List<String> names = new ArrayList<>();
        for (JsonNode item : Json.listAt(list, "items")) {
            names.add(Json.textAt(item, "metadata", "name"));
        }
        return names;
    }

    @Test
    void selectsByLabelAndField() throws Exception {
        server.post(MAPS, map("green", ",\"labels\":{\"colour\":\"green\"}"));
        server.post(MAPS, map("red", ",\"labels\":{\"colour\":\"red\"}"));
        assertThat(names(server.get(MAPS + "?labelSelector=colour%3Dgreen").json()))
                .containsExactly("green");
        assertThat(names(server.get(MAPS + "?fieldSelector=metadata.name%3Dred").json()))
                .containsExactly("red");
        assertThat(server.get(MAPS + "?fieldSelector=spec.x%3D1").code()).isEqualTo(400);
        assertThat(server.get(MAPS + "?labelSelector=%3D%3D").code()).isEqualTo(400);
    }

    @Test
    void streamsChangesAfterARevision() throws Exception {
        String start = Metadata.resourceVersion(server.get(MAPS + "?limit=1").json());
        server.post(MAPS, map("watched", ",\"labels\":{\"w\":\"1\"}"));
        server.patch(MAPS + "/watched", "application/merge-patch+json", "{\"data\":{\"k\":\"2\"}}");
        server.patch(MAPS + "/watched", "application/merge-patch+json", "{\"metadata\":{\"labels\":{\"w\":\"2\"}}}");
        server.delete(MAPS + "/watched");
        List<String> types = new ArrayList<>();
        String query = "?watch=1&labelSelector=w%3D1&timeoutSeconds=1&resourceVersion=" + start;
        try (var lines =
                new BufferedReader(new InputStreamReader(server.stream(MAPS + query), StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> types.add(Json.textAt(Json.parse(line), "type")));
        }
        // Leaving the selector looks like a deletion, as upstream has it.
        assertThat(types).containsExactly("ADDED", "MODIFIED", "DELETED");
    }

    @Test
    void sendsInitialEventsAndMarksTheirEnd() throws Exception {
        server.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"initial\"}}");
        server.post("/api/v1/namespaces/initial/configmaps", map("one", ""));
        String query = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
                + "&timeoutSeconds=1";
        List<JsonNode> events = new ArrayList<>();
        try (var lines = new BufferedReader(new InputStreamReader(
                server.stream("/api/v1/namespaces/initial/configmaps" + query), StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> events.add(Json.parse(line)));
        }
        assertThat(Json.textAt(events.get(0), "type")).isEqualTo("ADDED");
        assertThat(Json.textAt(events.get(1), "type")).isEqualTo("BOOKMARK");
        assertThat(Json.textAt(events.get(1), "object", "metadata", "annotations", "k8s.io/initial-events-end"))
                .isEqualTo("true");
    }

    @Test
    void tellsAWatcherFromTheFutureOrThePast() throws Exception {
        assertThat(server.get(MAPS + "?resourceVersion=999999999").code()).isEqualTo(504);
        assertThat(server.get(MAPS + "?watch=1&resourceVersion=nonsense").code())
                .isEqualTo(400);
        assertThat(server.get(MAPS + "?resourceVersion=nonsense").code()).isEqualTo(400);
        assertThat(server.get(MAPS + "?watch=1&continue=x").code()).isEqualTo(422);
        assertThat(server.get(MAPS + "?watch=1", "Accept", "application/yaml").code())
                .isEqualTo(406);
        server.store().compact(server.store().revision());
        String query = "?watch=1&timeoutSeconds=1&resourceVersion=1";
        try (var lines =
                new BufferedReader(new InputStreamReader(server.stream(MAPS + query), StandardCharsets.UTF_8))) {
            JsonNode event = Json.parse(lines.readLine());
            assertThat(Json.textAt(event, "type")).isEqualTo("ERROR");
            assertThat(Json.longAt(event, 0, "object", "code")).isEqualTo(410);
        }
    }
}
