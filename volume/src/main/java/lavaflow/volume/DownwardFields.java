package lavaflow.volume;

import java.util.TreeMap;

import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a pod may know of itself: its fields and its containers' resources, as text. */
public final class DownwardFields {
    private DownwardFields() {}

    /** A field of the pod's metadata as the downward API writes it. */
    public static String field(ObjectNode pod, String path) throws VolumeException {
        int bracket = path.indexOf("['");
        if (bracket > 0 && path.endsWith("']")) {
            String map = path.substring(0, bracket);
            String key = path.substring(bracket + 2, path.length() - 2);
            if (map.equals("metadata.labels") || map.equals("metadata.annotations")) {
                return Json.textAt(pod, "metadata", map.substring("metadata.".length()), key);
            }
            throw new VolumeException("fieldPath " + GoQuote.quote(path) + " does not support subscript");
        }
        return switch (path) {
            case "metadata.name" -> Json.textAt(pod, "metadata", "name");
            case "metadata.namespace" -> Json.textAt(pod, "metadata", "namespace");
            case "metadata.uid" -> Json.textAt(pod, "metadata", "uid");
            case "metadata.labels" -> lines(Json.at(pod, "metadata", "labels"));
            case "metadata.annotations" -> lines(Json.at(pod, "metadata", "annotations"));
            default -> throw new VolumeException("unsupported fieldPath: " + path);
        };
    }

    private static String lines(@Nullable JsonNode map) {
        TreeMap<String, String> sorted = new TreeMap<>();
        if (map != null) {
            map.properties()
                    .forEach(
                            entry -> sorted.put(entry.getKey(), entry.getValue().asText()));
        }
        StringBuilder lines = new StringBuilder();
        sorted.forEach((key, value) -> lines.append(lines.isEmpty() ? "" : "\n")
                .append(key)
                .append('=')
                .append(GoQuote.quote(value)));
        return lines.toString();
    }

    /**
     * A resource of a container, in units of the divisor and rounded up. A limit that is not set is what the node has.
     *
     * @param allocatable of the node
     */
    public static String resource(
            ObjectNode pod, JsonNode reference, String defaultContainer, @Nullable JsonNode allocatable)
            throws VolumeException {
        String name = Json.textAt(reference, "containerName");
        JsonNode container = container(pod, name.isEmpty() ? defaultContainer : name);
        String resource = Json.textAt(reference, "resource");
        int dot = resource.indexOf('.');
        if (dot < 0) {
            throw new VolumeException("unsupported container resource : " + resource);
        }
        String kind = resource.substring(0, dot);
        String what = resource.substring(dot + 1);
        if (!kind.equals("limits") && !kind.equals("requests")) {
            throw new VolumeException("unsupported container resource : " + resource);
        }
        JsonNode amount = Json.at(container, "resources", kind, what);
        if (amount == null && kind.equals("limits")) {
            amount = Json.at(allocatable, what);
            JsonNode ofPod = Json.at(pod, "spec", "resources", kind, what);
            if (amount != null && ofPod != null) {
                boolean less = Quantity.fromJson(ofPod).compareTo(Quantity.fromJson(amount)) < 0;
                amount = less ? ofPod : amount;
            }
        }
        Quantity quantity = amount == null ? Quantity.ZERO : Quantity.fromJson(amount);
        Quantity divisor = Quantity.at(reference, "divisor");
        if (divisor.isZero()) {
            divisor = Quantity.of(1, Quantity.Format.DECIMAL_SI);
        }
        return what.equals("cpu")
                ? Long.toString(ceiling(quantity.milliValue(), divisor.milliValue()))
                : Long.toString(ceiling(quantity.value(), divisor.value()));
    }

    private static long ceiling(long amount, long divisor) {
        return Math.ceilDiv(amount, divisor);
    }

    private static JsonNode container(ObjectNode pod, String name) throws VolumeException {
        for (String list : new String[] {"containers", "initContainers"}) {
            for (JsonNode container : Json.listAt(pod, "spec", list)) {
                if (Json.textAt(container, "name").equals(name)) {
                    return container;
                }
            }
        }
        throw new VolumeException("container " + name + " not found");
    }
}
