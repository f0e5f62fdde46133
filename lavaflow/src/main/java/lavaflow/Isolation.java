package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import lavaflow.kube.Json;
import lavaflow.network.LoopbackNetwork;
import lavaflow.network.PodNetwork;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What runs the pods of the node on this machine and what it does not keep apart, for whoever asks for the state.
 *
 * @param notices one sentence each
 */
record Isolation(String runtime, List<String> notices) {
    private static final String FILE = "isolation";

    static Isolation of(RuntimeInfo info, PodNetwork network) {
        List<String> notices = new ArrayList<>(info.notices());
        if (network instanceof LoopbackNetwork) {
            String said = LoopbackNetwork.NOTICE;
            notices.add(said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1) + ".");
        }
        return new Isolation(info.name() + " " + info.version(), notices);
    }

    ObjectNode document() {
        ObjectNode document = Json.object().put("runtime", runtime);
        ArrayNode lines = document.putArray("notices");
        notices.forEach(lines::add);
        return document;
    }

    void write(Path node) throws IOException {
        Files.createDirectories(node);
        Files.writeString(node.resolve(FILE), Json.pretty(document()) + "\n");
    }

    static Optional<Isolation> read(Path node) throws IOException {
        Path file = node.resolve(FILE);
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        ObjectNode document = Json.parseObject(Files.readAllBytes(file));
        List<String> notices = new ArrayList<>();
        for (JsonNode notice : Json.listAt(document, "notices")) {
            notices.add(notice.asText());
        }
        return Optional.of(new Isolation(Json.textAt(document, "runtime"), notices));
    }
}
