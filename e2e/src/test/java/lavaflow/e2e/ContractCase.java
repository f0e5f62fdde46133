package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One behaviour of a Kubernetes API server, as a short conversation with it.
 *
 * <p>Cases are data: every file of {@code resources/contract} is a topic, {@code objects.yaml} holds the objects they
 * start from. {@code README.md} beside them describes the format.
 */
record ContractCase(String topic, String name, List<ObjectNode> steps, ObjectNode objects) {
    private static final String OBJECTS = "objects.yaml";

    static List<ContractCase> readAll(Path directory) throws IOException {
        ObjectNode objects = (ObjectNode) YamlTree.parse(Files.readString(directory.resolve(OBJECTS)));
        List<Path> files;
        try (Stream<Path> found = Files.list(directory)) {
            files = found.filter(file -> file.toString().endsWith(".yaml")
                            && !file.getFileName().toString().equals(OBJECTS))
                    .sorted()
                    .toList();
        }
        List<ContractCase> cases = new ArrayList<>();
        for (Path file : files) {
            String topic = file.getFileName().toString().replace(".yaml", "");
            for (Map.Entry<String, JsonNode> each :
                    YamlTree.parse(Files.readString(file)).properties()) {
                if (each.getKey().contains("*")) {
                    cases.addAll(forEveryKind(topic, each, objects));
                } else {
                    cases.add(new ContractCase(topic, each.getKey(), steps(each.getValue()), objects));
                }
            }
        }
        return cases;
    }

    /** A case with {@code *} in its name is held once for every object. */
    private static List<ContractCase> forEveryKind(
            String topic, Map.Entry<String, JsonNode> written, ObjectNode objects) {
        List<ContractCase> cases = new ArrayList<>();
        for (Map.Entry<String, JsonNode> object : objects.properties()) {
            if (!object.getValue().has("lively")) {
                String steps = Json.string(written.getValue()).replace("\"*\"", "\"" + object.getKey() + "\"");
                String name = written.getKey().replace("*", object.getKey());
                cases.add(new ContractCase(topic, name, steps(Json.parse(steps)), objects));
            }
        }
        return cases;
    }

    private static List<ObjectNode> steps(JsonNode written) {
        List<ObjectNode> steps = new ArrayList<>();
        (written.isArray() ? written : Json.array().add(written)).forEach(step -> steps.add((ObjectNode) step));
        return steps;
    }

    /** The object a step starts from. */
    ObjectNode object(String key) {
        if (!(objects.get(key) instanceof ObjectNode object)) {
            throw new IllegalArgumentException("objects.yaml has no " + key);
        }
        return object;
    }

    boolean needsNamespace() {
        return text().contains("${ns}");
    }

    /** Whether no other case may be held at the same time. */
    boolean alone() {
        return steps.stream().anyMatch(step -> step.path("alone").asBoolean());
    }

    /** Everything the case itself says; what stands here literally is not normalised away in answers. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (ObjectNode step : steps) {
            text.append(Json.string(step));
            for (String verb : StepRequest.OBJECT_VERBS) {
                if (step.has(verb)) {
                    text.append(Json.string(object(step.get(verb).textValue())));
                }
            }
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return topic + ": " + name;
    }
}
