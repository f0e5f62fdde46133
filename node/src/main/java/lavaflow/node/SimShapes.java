package lavaflow.node;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;
import lavaflow.kube.Taint;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Reads the shapes of simulated nodes from YAML; what is wrong is told with its place. */
public final class SimShapes {
    /** As many as there are networks for. */
    public static final int MOST_NODES = 20_000;

    private static final Set<String> FIELDS = Set.of(
            "name",
            "count",
            "cpu",
            "memory",
            "storage",
            "pods",
            "gpus",
            "resources",
            "labels",
            "taints",
            "zones",
            "startDelay",
            "stopDelay",
            "duration",
            "plays");
    private static final Set<String> EFFECTS = Set.of(Taint.NO_SCHEDULE, Taint.PREFER_NO_SCHEDULE, Taint.NO_EXECUTE);

    private SimShapes() {}

    /** A number of usual nodes. */
    public static List<SimShape> ofCount(int count) throws MalformedException {
        if (count < 1 || count > MOST_NODES) {
            throw new MalformedException("between 1 and " + MOST_NODES + " nodes can be simulated, not " + count);
        }
        return List.of(SimShape.usual(count));
    }

    public static List<SimShape> parse(String yaml) throws MalformedException {
        JsonNode root;
        try {
            root = Yaml.parse(yaml.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new MalformedException("not YAML: " + e.getMessage());
        }
        JsonNode list = root.isArray() ? root : Json.at(root, "shapes");
        if (list == null || !list.isArray() || list.isEmpty()) {
            throw new MalformedException("shapes: a list of shapes is needed");
        }
        List<SimShape> shapes = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int total = 0;
        for (int i = 0; i < list.size(); i++) {
            SimShape shape = shape(list.get(i), "shapes[" + i + "]");
            if (!names.add(shape.name())) {
                throw new MalformedException("shapes[" + i + "].name: '" + shape.name() + "' is there twice");
            }
            total += shape.count();
            shapes.add(shape);
        }
        if (total > MOST_NODES) {
            throw new MalformedException("shapes: at most " + MOST_NODES + " nodes can be simulated, not " + total);
        }
        return List.copyOf(shapes);
    }

    private static SimShape shape(JsonNode json, String path) {
        if (!json.isObject()) {
            throw new MalformedException(path + ": a shape has fields");
        }
        json.properties().forEach(field -> {
            if (!FIELDS.contains(field.getKey())) {
                throw new MalformedException(path + "." + field.getKey() + ": there is no such field");
            }
        });
        String name = json.has("name") ? json.get("name").asText() : "sim";
        if (!Names.dns1123Subdomain(name + "-0").isEmpty()) {
            throw new MalformedException(path + ".name: '" + name + "' cannot begin the name of a node");
        }
        JsonNode count = json.get("count");
        if (count != null && (!count.isIntegralNumber() || count.asLong() < 1 || count.asLong() > MOST_NODES)) {
            throw new MalformedException(path + ".count: a number from 1 to " + MOST_NODES + " is needed");
        }
        List<String> zones = new ArrayList<>();
        Json.listAt(json, "zones").forEach(zone -> zones.add(zone.asText()));
        return new SimShape(
                name,
                count == null ? 1 : count.asInt(),
                resources(json, path),
                texts(json.get("labels")),
                taints(json, path),
                List.copyOf(zones),
                new SimShape.Defaults(
                        duration(json, "startDelay", path, Duration.ZERO),
                        duration(json, "stopDelay", path, Duration.ZERO),
                        json.has("duration") ? duration(json, "duration", path, Duration.ZERO) : null,
                        plays(json, path)));
    }

    private static List<Play> plays(JsonNode json, String path) {
        List<Play> plays = new ArrayList<>();
        for (JsonNode each : Json.listAt(json, "plays")) {
            plays.add(Play.of(each, path + ".plays[" + plays.size() + "]"));
        }
        return List.copyOf(plays);
    }

    private static Map<String, String> resources(JsonNode json, String path) {
        Map<String, String> amounts = new LinkedHashMap<>();
        amounts.put("cpu", amount(json, "cpu", path, "32"));
        amounts.put("memory", amount(json, "memory", path, "256Gi"));
        amounts.put("ephemeral-storage", amount(json, "storage", path, "1Ti"));
        amounts.put("pods", amount(json, "pods", path, "110"));
        if (json.has("gpus")) {
            amounts.put("nvidia.com/gpu", amount(json, "gpus", path, "0"));
        }
        JsonNode more = Json.objectAt(json, "resources");
        if (more != null) {
            more.properties()
                    .forEach(each -> amounts.put(each.getKey(), amount(more, each.getKey(), path + ".resources", "0")));
        }
        return amounts;
    }

    private static String amount(JsonNode json, String field, String path, String absent) {
        JsonNode value = json.get(field);
        try {
            Quantity amount = value == null ? Quantity.parse(absent) : Quantity.fromJson(value);
            if (amount.signum() < 0) {
                throw new MalformedException("negative");
            }
            return amount.toString();
        } catch (MalformedException e) {
            throw new MalformedException(path + "." + field + ": '" + value + "' is no amount");
        }
    }

    static Duration duration(JsonNode json, String field, String path, Duration absent) {
        String text = Json.textAt(json, field);
        try {
            return text.isEmpty() ? absent : GoDuration.parse(text);
        } catch (MalformedException e) {
            throw new MalformedException(path + "." + field + ": '" + text + "' is no duration such as 500ms or 1m");
        }
    }

    private static Map<String, String> texts(@Nullable JsonNode json) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (json != null) {
            json.properties()
                    .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
        }
        return texts;
    }

    /** As objects, or as kubectl writes them: {@code key=value:Effect}. */
    private static List<Taint> taints(JsonNode json, String path) {
        List<Taint> taints = new ArrayList<>();
        int index = 0;
        for (JsonNode each : Json.listAt(json, "taints")) {
            String place = path + ".taints[" + index++ + "]";
            Taint taint = each.isTextual()
                    ? taint(each.asText())
                    : new Taint(Json.textAt(each, "key"), Json.textAt(each, "value"), Json.textAt(each, "effect"));
            if (taint.key().isEmpty() || !EFFECTS.contains(taint.effect())) {
                throw new MalformedException(
                        place + ": a taint is key=value:NoSchedule, PreferNoSchedule or NoExecute");
            }
            taints.add(taint);
        }
        return List.copyOf(taints);
    }

    private static Taint taint(String text) {
        int colon = text.lastIndexOf(':');
        String left = colon < 0 ? text : text.substring(0, colon);
        int equals = left.indexOf('=');
        return new Taint(
                equals < 0 ? left : left.substring(0, equals),
                equals < 0 ? "" : left.substring(equals + 1),
                colon < 0 ? "" : text.substring(colon + 1));
    }
}
