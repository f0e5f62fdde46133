package lavaflow.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The objects of a file: what is run, and what it needs.
 *
 * @param needed everything else, in its order
 * @param jobs what ends one day, in its order
 */
public record Manifests(List<ObjectNode> needed, List<ObjectNode> jobs) {
    private static final Pattern BORDER = Pattern.compile("(?m)^---(?:[ \t].*)?$");

    /** Kinds that run to an end, as {@code group/Kind}. */
    private static final Set<String> JOBS = Set.of(
            "/Pod",
            "batch/Job",
            "batch.volcano.sh/Job",
            "flow.volcano.sh/JobFlow",
            "kubeflow.org/TFJob",
            "kubeflow.org/PyTorchJob",
            "kubeflow.org/MPIJob",
            "kubeflow.org/XGBoostJob",
            "kubeflow.org/PaddleJob",
            "kubeflow.org/JAXJob",
            "trainer.kubeflow.org/TrainJob",
            "jobset.x-k8s.io/JobSet");

    /** Reads YAML or JSON of any number of documents; what is wrong is an {@link IllegalArgumentException}. */
    public static Manifests read(String text) {
        List<ObjectNode> all = new ArrayList<>();
        int number = 0;
        for (String part : BORDER.split(text, -1)) {
            if (part.lines()
                    .allMatch(line -> line.isBlank() || line.stripLeading().startsWith("#"))) {
                continue;
            }
            number++;
            add(parsed(part, number), number, all);
        }
        return of(all);
    }

    public static Manifests of(List<ObjectNode> objects) {
        List<ObjectNode> needed = new ArrayList<>();
        List<ObjectNode> jobs = new ArrayList<>();
        objects.forEach(object -> (isJob(object) ? jobs : needed).add(object));
        return new Manifests(List.copyOf(needed), List.copyOf(jobs));
    }

    private static JsonNode parsed(String part, int number) {
        try {
            Yaml.Parsed parsed = Yaml.parse(part.getBytes(StandardCharsets.UTF_8));
            if (!parsed.repeatedKeys().isEmpty()) {
                // Which of the two is meant nobody can know; kubectl refuses it, too.
                throw new IllegalArgumentException("document " + number + ", "
                        + parsed.repeatedKeys().getFirst().replace("already set in map", "is there twice"));
            }
            return parsed.root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException("document " + number + " is no YAML: " + e.getMessage(), e);
        }
    }

    private static void add(JsonNode document, int number, List<ObjectNode> all) {
        if (!(document instanceof ObjectNode object)
                || Json.textAt(object, "apiVersion").isEmpty()
                || Json.textAt(object, "kind").isEmpty()) {
            throw new IllegalArgumentException("document " + number + " is no object: it needs apiVersion and kind");
        }
        if (object.get("items") != null && Json.textAt(object, "kind").endsWith("List")) {
            object.get("items").forEach(item -> add(item, number, all));
            return;
        }
        if (Json.textAt(object, "metadata", "name").isEmpty()
                && Json.textAt(object, "metadata", "generateName").isEmpty()) {
            throw new IllegalArgumentException(
                    "document " + number + ", a " + Json.textAt(object, "kind") + ", has no metadata.name");
        }
        all.add(object);
    }

    private static boolean isJob(ObjectNode object) {
        return JOBS.contains(group(object) + "/" + Json.textAt(object, "kind"));
    }

    /** The API group an object names. */
    public static String group(ObjectNode object) {
        String version = Json.textAt(object, "apiVersion");
        return version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
    }

    /** All objects, those that are needed first. */
    List<ObjectNode> all() {
        List<ObjectNode> all = new ArrayList<>(needed);
        all.addAll(jobs);
        return all;
    }

    /** The images that pods of these objects begin with. */
    public Set<String> images() {
        Set<String> images = new LinkedHashSet<>();
        needed.forEach(object -> collect(object, images));
        jobs.forEach(object -> collect(object, images));
        return images;
    }

    private static void collect(JsonNode node, Set<String> images) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : Json.listAt(node, list)) {
                String image = Json.textAt(container, "image");
                if (!image.isEmpty()) {
                    images.add(image);
                }
            }
        }
        String trainer = Json.textAt(node, "spec", "trainer", "image");
        if (!trainer.isEmpty()) {
            images.add(trainer);
        }
        node.forEach(child -> collect(child, images));
    }
}
