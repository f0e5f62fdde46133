package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Something users do to a cluster, step by step, and what then may differ.
 *
 * @param ignored places in objects, by kind and pointer, that say nothing or whose difference is a known departure
 * @param eventsVary which events there are depends on when one looks
 */
record ControllerScenario(
        String topic, String name, List<ObjectNode> steps, List<Ignored> ignored, boolean eventsVary) {
    record Ignored(String kind, String pointer) {}

    static List<ControllerScenario> readAll(Path directory) throws IOException {
        List<ControllerScenario> scenarios = new ArrayList<>();
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            String topic = file.getFileName().toString().replace(".yaml", "");
            String shared = "";
            for (String document : Files.readString(file).split("(?m)^---\n", -1)) {
                if (YamlTree.parse(shared + document) instanceof ObjectNode scenario) {
                    if (scenario.has("name")) {
                        scenarios.add(read(topic, scenario));
                    } else {
                        // Anchors reach no further than their document, so it is part of each that follows.
                        shared = document;
                    }
                }
            }
        }
        return scenarios;
    }

    private static ControllerScenario read(String topic, ObjectNode scenario) {
        List<ObjectNode> steps = new ArrayList<>();
        Json.listAt(scenario, "steps").forEach(step -> steps.add((ObjectNode) step));
        List<Ignored> ignored = new ArrayList<>();
        for (JsonNode each : Json.listAt(scenario, "ignore")) {
            ignored.add(new Ignored(Json.textAt(each, "kind"), Json.textAt(each, "path")));
        }
        return new ControllerScenario(
                topic, Json.textAt(scenario, "name"), steps, ignored, Json.flagAt(scenario, "eventsVary"));
    }

    @Override
    public String toString() {
        return topic + ": " + name;
    }
}
