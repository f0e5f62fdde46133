package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Groups of nodes that pods are led to by their namespace or an annotation: the file that Volcano's webhooks take with
 * {@code --admission-conf}. A value.
 */
public final class ResourceGroups {
    /** No pod is changed. */
    public static final ResourceGroups NONE = new ResourceGroups(List.of());

    private static final String USUAL_ANNOTATION = "volcano.sh/resource-group";

    private final List<JsonNode> groups;

    private ResourceGroups(List<JsonNode> groups) {
        this.groups = groups;
    }

    /** Reads the file. */
    public static ResourceGroups parse(byte[] yaml) throws DecodingException {
        List<JsonNode> groups = new ArrayList<>();
        Json.listAt(Yaml.parse(yaml).root(), "resourceGroups").forEach(groups::add);
        return new ResourceGroups(groups);
    }

    /** Leads a new pod to the nodes of the first group it belongs to. */
    public void complete(ObjectNode pod, String namespace) {
        for (JsonNode group : groups) {
            if (has(group, pod, namespace)) {
                lead(pod, group);
                return;
            }
        }
    }

    private static boolean has(JsonNode group, ObjectNode pod, String namespace) {
        List<String> values = new ArrayList<>();
        Json.listAt(group, "object", "value").forEach(value -> values.add(value.asText()));
        JsonNode annotations = Json.at(pod, "metadata", "annotations");
        return switch (Json.textAt(group, "object", "key")) {
            case "namespace" -> values.contains(namespace);
            case "annotation" -> isAnnotated(annotations, values);
            case "" ->
                isAnnotated(annotations, values)
                        || Json.textAt(annotations, USUAL_ANNOTATION).equals(Json.textAt(group, "resourceGroup"));
            default -> false;
        };
    }

    /** Values are {@code key: value} each; one of them is enough. */
    private static boolean isAnnotated(@Nullable JsonNode annotations, List<String> values) {
        Map<String, String> wanted = new LinkedHashMap<>();
        for (String value : values) {
            try {
                Yaml.parse(value.getBytes(StandardCharsets.UTF_8))
                        .root()
                        .properties()
                        .forEach(field -> wanted.putIfAbsent(
                                field.getKey(), field.getValue().asText()));
            } catch (DecodingException _) {
                // Upstream passes over what is no map, too.
            }
        }
        return annotations != null
                && wanted.entrySet().stream()
                        .anyMatch(
                                each -> annotations.path(each.getKey()).asText().equals(each.getValue()));
    }

    private static void lead(ObjectNode pod, JsonNode group) {
        ObjectNode spec = Json.ensureObject(pod, "spec");
        ObjectNode labels = Json.objectAt(group, "labels");
        if (labels != null && !labels.isEmpty()) {
            ObjectNode selector = Json.ensureObject(spec, "nodeSelector");
            labels.properties()
                    .forEach(label ->
                            selector.put(label.getKey(), label.getValue().asText()));
        }
        String affinity = Json.textAt(group, "affinity");
        if (!affinity.isEmpty() && !spec.hasNonNull("affinity")) {
            try {
                spec.set(
                        "affinity",
                        Yaml.parse(affinity.getBytes(StandardCharsets.UTF_8)).root());
            } catch (DecodingException _) {
                // What cannot be read leads nowhere.
            }
        }
        ArrayNode tolerations = Json.listAt(group, "tolerations");
        if (!tolerations.isEmpty()) {
            PodParts.list(spec, "tolerations").addAll(tolerations.deepCopy());
        }
        String scheduler = Json.textAt(group, "schedulerName");
        if (!scheduler.isEmpty()) {
            spec.put("schedulerName", scheduler);
        }
    }
}
