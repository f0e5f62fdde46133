package lavaflow.kubelet;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerExit;
import lavaflow.sandbox.ContainerState;

/** What is kept with sandboxes and containers, so that a new process knows whose they are. */
final class ContainerLabels {
    static final String POD_NAME = "io.kubernetes.pod.name";
    static final String POD_NAMESPACE = "io.kubernetes.pod.namespace";
    static final String POD_UID = "io.kubernetes.pod.uid";
    static final String NAME = "io.kubernetes.container.name";
    static final String RESTARTS = "io.kubernetes.container.restartCount";
    static final String HASH = "io.kubernetes.container.hash";
    static final String IMAGE = "lavaflow.io/image";
    static final String IMAGE_ID = "lavaflow.io/image-id";
    static final String FALL_BACK = "lavaflow.io/message-from-log";
    static final String STOP_SIGNAL = "lavaflow.io/stop-signal";

    private ContainerLabels() {}

    static Map<String, String> ofPod(PodView pod) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(POD_NAME, pod.name());
        labels.put(POD_NAMESPACE, pod.namespace());
        labels.put(POD_UID, pod.uid());
        return labels;
    }

    static Map<String, String> ofContainer(PodView pod, PodView.Container container, Attempt attempt) {
        Map<String, String> labels = ofPod(pod);
        labels.put(NAME, container.name());
        labels.put(RESTARTS, Integer.toString(attempt.number()));
        labels.put(HASH, attempt.hash());
        labels.put(IMAGE, attempt.image());
        labels.put(IMAGE_ID, attempt.imageId());
        labels.put(STOP_SIGNAL, attempt.stopSignal());
        labels.put(
                FALL_BACK,
                Boolean.toString(Json.textAt(container.spec(), "terminationMessagePolicy")
                        .equals("FallbackToLogsOnError")));
        return labels;
    }

    static String name(ContainerState state) {
        return state.labels().getOrDefault(NAME, "");
    }

    /**
     * A life that an earlier process began; its end, if it has ended, is the caller's to tell. What ran in a place that was
     * taken away did nothing for the one that its pod may have by now.
     */
    static Attempt attempt(ContainerState state) {
        Map<String, String> labels = state.labels();
        return new Attempt(
                state.id(),
                Integer.parseInt(labels.getOrDefault(RESTARTS, "0")),
                labels.getOrDefault(IMAGE, ""),
                labels.getOrDefault(IMAGE_ID, ""),
                state.departed() ? "" : labels.getOrDefault(HASH, "unknown"),
                labels.getOrDefault(STOP_SIGNAL, "SIGTERM"),
                state.startedAt(),
                null);
    }

    static String reason(ContainerExit exit) {
        if (exit.outOfMemory()) {
            return "OOMKilled";
        }
        return exit.code() == 0 ? "Completed" : "Error";
    }
}
