package lavaflow.cluster;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Asks the APIs of metrics: what pods use, and whatever others measure. Values are thousandths. */
final class Measurements {
    private static final String CUSTOM = "custom.metrics.k8s.io";
    /** What servers answer in plain text to a path that they do not serve. */
    private static final String NO_PATH = "404 page not found";

    private static final String MISSING = "the server could not find the requested resource";
    private static final String UNABLE = "the server is currently unable to handle the request";

    private final KubeApi api;

    Measurements(KubeApi api) {
        this.api = api;
    }

    private static String selection(String name, String selector) {
        return selector.isEmpty() ? "" : name + "=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    }

    private ObjectNode read(String path, String source, String what) throws ReplicaProposal.NoProposalException {
        try {
            return api.read(path);
        } catch (ApiException e) {
            throw new ReplicaProposal.NoProposalException(
                    "unable to fetch metrics from " + source + " metrics API: " + reason(e, what));
        }
    }

    /** Answers that are no Status are told as upstream's client tells them. */
    private static String reason(ApiException e, String what) {
        String said = String.valueOf(e.getMessage());
        return switch (e.code()) {
            case 404 -> said.equals(NO_PATH) || said.equals(MISSING) ? MISSING + " (get " + what + ")" : said;
            case 503 -> UNABLE + " (get " + what + ")";
            default -> said;
        };
    }

    /**
     * What pods use of a resource.
     *
     * @param container of which container, empty for all of a pod
     */
    Map<String, ReplicaProposal.Sample> resource(String namespace, String selector, String resource, String container)
            throws ReplicaProposal.NoProposalException {
        String query = selection("?labelSelector", selector);
        ObjectNode list = read(
                "/apis/metrics.k8s.io/v1beta1/namespaces/" + namespace + "/pods" + query,
                "resource",
                "pods.metrics.k8s.io");
        Map<String, ReplicaProposal.Sample> samples = new TreeMap<>();
        for (JsonNode item : Json.listAt(list, "items")) {
            Long used = used(item, resource, container);
            if (used != null) {
                samples.put(
                        Json.textAt(item, "metadata", "name"),
                        new ReplicaProposal.Sample(used, PodState.time(Json.textAt(item, "timestamp")), window(item)));
            }
        }
        if (Json.listAt(list, "items").isEmpty()) {
            throw new ReplicaProposal.NoProposalException("no metrics returned from resource metrics API");
        }
        return samples;
    }

    private static Duration window(JsonNode item) {
        try {
            return GoDuration.parse(Json.textAt(item, "window"));
        } catch (MalformedException e) {
            return Duration.ZERO;
        }
    }

    /** Null where not everything that is asked for was measured. */
    private static @Nullable Long used(JsonNode item, String resource, String container) {
        Long sum = null;
        for (JsonNode each : Json.listAt(item, "containers")) {
            if (container.isEmpty() || container.equals(Json.textAt(each, "name"))) {
                if (Json.at(each, "usage", resource) == null) {
                    return null;
                }
                sum = (sum == null ? 0 : sum)
                        + Quantity.at(Json.at(each, "usage"), resource).milliValue();
            }
        }
        return sum;
    }

    private String customVersion() throws ReplicaProposal.NoProposalException {
        try {
            String version = Json.textAt(api.read("/apis/" + CUSTOM), "preferredVersion", "version");
            return version.isEmpty() ? "v1beta2" : version;
        } catch (ApiException e) {
            if (e.code() != 404) {
                throw e;
            }
            throw new ReplicaProposal.NoProposalException("unable to fetch metrics from custom metrics API: no custom"
                    + " metrics API (" + CUSTOM + ") registered");
        }
    }

    private ObjectNode custom(String place, String query, JsonNode metric) throws ReplicaProposal.NoProposalException {
        String name = Json.textAt(metric, "name");
        String narrowed = selection("metricLabelSelector", selector(metric));
        String parameters = query.isEmpty() || narrowed.isEmpty() ? query + narrowed : query + "&" + narrowed;
        String path = "/apis/" + CUSTOM + "/" + customVersion() + "/" + place + "/" + name;
        return read(parameters.isEmpty() ? path : path + "?" + parameters, "custom", what(place, name));
    }

    /** How upstream's client names what it asked for: {@code services.custom.metrics.k8s.io web}. */
    private static String what(String place, String metric) {
        String[] words = place.split("/", -1);
        boolean ofNamespace = words[words.length - 1].equals("metrics");
        String resource = ofNamespace ? "metrics" : words[words.length - 2];
        return resource + "." + CUSTOM + " " + (ofNamespace ? metric : words[words.length - 1]);
    }

    private static String selector(JsonNode metric) {
        JsonNode selector = Json.at(metric, "selector");
        return selector == null ? "" : LabelSelector.fromJson(selector).toString();
    }

    /** What each pod says of itself. */
    Map<String, ReplicaProposal.Sample> pods(String namespace, String selector, JsonNode metric)
            throws ReplicaProposal.NoProposalException {
        ObjectNode list = custom("namespaces/" + namespace + "/pods/*", selection("labelSelector", selector), metric);
        Map<String, ReplicaProposal.Sample> samples = new TreeMap<>();
        for (JsonNode item : Json.listAt(list, "items")) {
            samples.put(
                    Json.textAt(item, "describedObject", "name"),
                    new ReplicaProposal.Sample(
                            Quantity.at(item, "value").milliValue(),
                            PodState.time(Json.textAt(item, "timestamp")),
                            Duration.ofSeconds(Json.longAt(item, 60, "windowSeconds"))));
        }
        if (samples.isEmpty()) {
            throw new ReplicaProposal.NoProposalException("no metrics returned from custom metrics API");
        }
        return samples;
    }

    /** What is measured of one object. */
    long object(String namespace, JsonNode reference, JsonNode metric) throws ReplicaProposal.NoProposalException {
        String kind = Json.textAt(reference, "kind");
        KubeApi.Kind found =
                api.findKind(Json.textAt(reference, "apiVersion"), kind).orElse(null);
        if (found == null) {
            String version = Json.textAt(reference, "apiVersion");
            String group = version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
            throw new ReplicaProposal.NoProposalException(
                    "unable to fetch metrics from custom metrics API: unable to map kind " + kind + "." + group
                            + " to resource: no matches for kind \"" + kind + "\" in group \"" + group + "\"");
        }
        String name = Json.textAt(reference, "name");
        String place = found.equals(KubeApi.Kind.clusterWide("namespaces"))
                ? "namespaces/" + name + "/metrics"
                : (found.namespaced() ? "namespaces/" + namespace + "/" : "") + found + "/" + name;
        JsonNode items = Json.listAt(custom(place, "", metric), "items");
        if (items.isEmpty()) {
            throw new ReplicaProposal.NoProposalException("no metrics returned from custom metrics API");
        }
        return Quantity.at(items.get(0), "value").milliValue();
    }

    /** What is measured elsewhere: the sum of all that fits. */
    long external(String namespace, JsonNode metric) throws ReplicaProposal.NoProposalException {
        String name = Json.textAt(metric, "name");
        String query = selection("?labelSelector", selector(metric));
        ObjectNode list = read(
                "/apis/external.metrics.k8s.io/v1beta1/namespaces/" + namespace + "/" + name + query,
                "external",
                name + ".external.metrics.k8s.io");
        if (Json.listAt(list, "items").isEmpty()) {
            throw new ReplicaProposal.NoProposalException("no metrics returned from external metrics API");
        }
        long sum = 0;
        for (JsonNode item : Json.listAt(list, "items")) {
            sum += Quantity.at(item, "value").milliValue();
        }
        return sum;
    }
}
