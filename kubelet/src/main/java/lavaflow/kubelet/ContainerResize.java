package lavaflow.kubelet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gives running containers other resources. */
final class ContainerResize {
    private ContainerResize() {}

    /** Why the node does not give a pod what it asks for now, as a condition of the pod; nothing if it does. */
    static List<ObjectNode> conditions(Surroundings around, PodView pod) {
        Map<String, Long> taken = new LinkedHashMap<>();
        for (String resource : List.of(PodRequests.CPU, PodRequests.MEMORY)) {
            taken.put(resource, around.claims().takenByOthers(pod.uid(), resource));
        }
        return switch (PodResize.answer(pod, Json.at(around.node().get(), "status", "allocatable"), taken)) {
            case PodResize.Refused refusal -> List.of(PodResize.pending(refusal));
            case PodResize.Granted() -> {
                around.claims().readmit(pod.object());
                yield List.of();
            }
        };
    }

    /** Changes the limits of a container and its pod; what went wrong is a condition, too. */
    static List<ObjectNode> apply(
            Surroundings around, PodView pod, PodView.Container container, JsonNode before, Attempt attempt) {
        long used = around.tools().runtime().usage(attempt.id()).memoryBytes();
        Optional<String> tooLittle = PodResize.tooLittle(container, before, used);
        if (tooLittle.isPresent()) {
            return List.of(PodResize.inProgress(tooLittle.get()));
        }
        try {
            boolean widened = widen(around, pod);
            around.tools().runtime().resize(attempt.id(), PodResources.ofContainer(container));
            if (!widened) {
                resizePod(around, pod);
            }
            return List.of();
        } catch (SandboxException e) {
            return List.of(PodResize.inProgress(String.valueOf(e.getMessage())));
        }
    }

    /** False where the pod cannot have less than its containers still have: kernels of control groups 1 refuse that. */
    private static boolean widen(Surroundings around, PodView pod) {
        try {
            resizePod(around, pod);
            return true;
        } catch (SandboxException e) {
            return false;
        }
    }

    private static void resizePod(Surroundings around, PodView pod) throws SandboxException {
        around.tools()
                .runtime()
                .resizeSandbox(
                        pod.uid(), PodResources.ofPod(pod, around.settings().podPids()));
    }
}
