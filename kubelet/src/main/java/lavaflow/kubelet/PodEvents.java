package lavaflow.kubelet;

import lavaflow.controller.QueuedEvents;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells what happens to pods and their containers, as events. */
final class PodEvents {
    private final QueuedEvents events;

    PodEvents(QueuedEvents events) {
        this.events = events;
    }

    void normal(PodView pod, String reason, String message) {
        events.normal(about(pod, ""), reason, message);
    }

    void warning(PodView pod, String reason, String message) {
        events.warning(about(pod, ""), reason, message);
    }

    void normal(PodView pod, PodView.Container container, String reason, String message) {
        events.normal(about(pod, container.fieldPath()), reason, message);
    }

    void warning(PodView pod, PodView.Container container, String reason, String message) {
        events.warning(about(pod, container.fieldPath()), reason, message);
    }

    private static ObjectNode about(PodView pod, String fieldPath) {
        ObjectNode about = Json.object().put("kind", "Pod").put("apiVersion", "v1");
        about.put("fieldPath", fieldPath);
        about.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid())
                .put("resourceVersion", Json.textAt(pod.object(), "metadata", "resourceVersion"));
        return about;
    }
}
