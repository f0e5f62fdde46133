package lavaflow.simulation;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Plays the API of metrics: work comes in by application, and the pods that are ready share it. */
final class Meter {
    static final String PREFIX = "/apis/metrics.k8s.io/v1beta1/namespaces/";

    private final KubeApi api;
    private final VirtualClock clock;
    private final Map<String, Long> work = new HashMap<>();

    Meter(KubeApi api, VirtualClock clock) {
        this.api = api;
        this.clock = clock;
    }

    /** So much comes in from now on, in thousandths of a processor. */
    void setWork(String app, long milli) {
        work.put(app, milli);
    }

    long work(String app) {
        return work.getOrDefault(app, 0L);
    }

    /** What pods use: the answer to {@code namespaces/NAMESPACE/pods?labelSelector=...}. */
    ObjectNode read(String path) {
        String namespace = path.substring(PREFIX.length(), path.indexOf('/', PREFIX.length()));
        LabelSelector selector = selector(path.substring(path.indexOf('=') + 1));
        List<ObjectNode> ready = api.list(Kinds.PODS, namespace, KubeApi.View.WHOLE).items().stream()
                .filter(pod -> selector.matches(Json.at(pod, "metadata", "labels")))
                .filter(pod -> Observer.isActive(pod) && Observer.isReady(pod))
                .toList();
        ObjectNode list = Json.object();
        ArrayNode items = list.putArray("items");
        for (ObjectNode pod : ready) {
            ObjectNode item = items.addObject();
            item.putObject("metadata").put("name", Json.textAt(pod, "metadata", "name"));
            item.put("timestamp", GoTime.seconds(clock.instant())).put("window", "1s");
            long share = work(Json.textAt(pod, "metadata", "labels", "app")) / ready.size();
            item.putArray("containers")
                    .addObject()
                    .put("name", "main")
                    .putObject("usage")
                    .put("cpu", share + "m");
        }
        return list;
    }

    private static LabelSelector selector(String text) {
        try {
            return LabelSelector.parse(URLDecoder.decode(text, StandardCharsets.UTF_8));
        } catch (MalformedException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
