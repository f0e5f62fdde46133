package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What becomes of training jobs, step by step.
 *
 * @param gang the scheduler of gangs: none, volcano, or another name
 * @param operator upstream's that has to do with it: training, mpi, or trainer
 * @param departures places that may differ, by the key under which docs/compatibility.md says why
 */
record TrainingScenario(
        String topic,
        String name,
        String gang,
        String operator,
        List<ObjectNode> steps,
        Map<String, List<Pattern>> departures) {
    /** @param usual the operator of scenarios that do not say it */
    static List<TrainingScenario> readAll(Path directory, String usual) throws IOException {
        List<TrainingScenario> scenarios = new ArrayList<>();
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
                        scenarios.add(read(topic, scenario, usual));
                    } else {
                        // Anchors reach no further than their document, so it is part of each that follows.
                        shared = document;
                    }
                }
            }
        }
        return scenarios;
    }

    private static TrainingScenario read(String topic, ObjectNode scenario, String usual) {
        List<ObjectNode> steps = new ArrayList<>();
        Json.listAt(scenario, "steps").forEach(step -> steps.add((ObjectNode) step));
        return new TrainingScenario(
                topic,
                Json.textAt(scenario, "name"),
                said(scenario, "gang", "none"),
                said(scenario, "operator", usual),
                steps,
                departures(scenario.path("differs")));
    }

    private static String said(ObjectNode scenario, String field, String otherwise) {
        String said = Json.textAt(scenario, field);
        return said.isEmpty() ? otherwise : said;
    }

    /** By key, patterns of "moment: place". */
    static Map<String, List<Pattern>> departures(JsonNode told) {
        Map<String, List<Pattern>> departures = new LinkedHashMap<>();
        told.properties().forEach(each -> {
            List<Pattern> places = departures.computeIfAbsent(each.getKey(), _ -> new ArrayList<>());
            each.getValue().forEach(place -> places.add(Pattern.compile(place.textValue())));
        });
        return departures;
    }

    @Override
    public String toString() {
        return topic + ": " + name;
    }
}
