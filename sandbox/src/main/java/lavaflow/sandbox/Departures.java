package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How containers ended whose sandboxes were taken away with all others: whoever asked for them may not have heard of it, and
 * asks the next process.
 */
final class Departures {
    private final Path directory;
    private final Map<String, ContainerState> states = new ConcurrentSkipListMap<>();

    Departures(Path directory) {
        this.directory = directory;
    }

    void load() throws IOException {
        try (var files = Files.newDirectoryStream(directory, "*.json")) {
            for (Path file : files) {
                ContainerState state = read(Json.parse(Files.readString(file)));
                states.put(state.id(), state);
            }
        }
    }

    List<ContainerState> all() {
        return List.copyOf(states.values());
    }

    /** What never ran is not worth a note. */
    void note(ContainerState state) throws IOException {
        ContainerExit exit = state.exit();
        if (exit == null) {
            return;
        }
        ObjectNode node = Json.object();
        node.put("id", state.id()).put("sandbox", state.sandbox());
        ObjectNode labels = node.putObject("labels");
        state.labels().forEach(labels::put);
        node.put("createdAt", state.createdAt().toString());
        Instant started = state.startedAt();
        if (started != null) {
            node.put("startedAt", started.toString());
        }
        ObjectNode end = node.putObject("exit");
        end.put("code", exit.code()).put("outOfMemory", exit.outOfMemory());
        end.put("at", exit.at().toString()).put("problem", exit.problem());
        Places.write(file(state.id()), Json.string(node));
        states.put(state.id(), read(node));
    }

    private static ContainerState read(JsonNode node) {
        JsonNode end = node.path("exit");
        String id = node.path("id").asText();
        @Nullable
        Instant started =
                node.has("startedAt") ? Instant.parse(node.path("startedAt").asText()) : null;
        return new ContainerState(
                id,
                node.path("sandbox").asText(),
                Records.map(node.path("labels")),
                ContainerState.Phase.EXITED,
                Instant.parse(node.path("createdAt").asText()),
                started,
                0,
                new ContainerExit(
                        id,
                        end.path("code").asInt(),
                        end.path("outOfMemory").asBoolean(),
                        Instant.parse(end.path("at").asText()),
                        end.hasNonNull("problem") ? end.path("problem").asText() : null),
                true);
    }

    void forget(String container) throws IOException {
        if (states.containsKey(container)) {
            Files.deleteIfExists(file(container));
            states.remove(container);
        }
    }

    void forgetSandbox(String sandbox) throws IOException {
        for (ContainerState state : all()) {
            if (state.sandbox().equals(sandbox)) {
                forget(state.id());
            }
        }
    }

    private Path file(String container) {
        return directory.resolve(container + ".json");
    }
}
