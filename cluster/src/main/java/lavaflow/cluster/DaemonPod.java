package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the DaemonSet controller looks at in a pod.
 *
 * @param target the node it is on or made for, empty if it could go anywhere
 */
record DaemonPod(PodState state, String target) {
    static final Comparator<DaemonPod> OLDEST_FIRST = Comparator.<DaemonPod, Boolean>comparing(
                    pod -> pod.state().node().isEmpty())
            .thenComparing(pod -> pod.state().created())
            .thenComparing(DaemonPod::name);

    /** Of a DaemonSet, or an orphan that might become one's. */
    static boolean isWanted(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        return owner == null
                ? Json.at(pod, "metadata", "labels") != null
                : owner.kind().equals("DaemonSet") && owner.apiVersion().startsWith("apps/");
    }

    static DaemonPod of(ObjectNode pod) {
        String node = Json.textAt(pod, "spec", "nodeName");
        return new DaemonPod(PodState.of(pod), node.isEmpty() ? wantedNode(pod) : node);
    }

    private static String wantedNode(ObjectNode pod) {
        JsonNode required =
                Json.at(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
        for (JsonNode term : Json.listAt(required, "nodeSelectorTerms")) {
            for (JsonNode field : Json.listAt(term, "matchFields")) {
                JsonNode values = Json.listAt(field, "values");
                if (Json.textAt(field, "key").equals("metadata.name")
                        && Json.textAt(field, "operator").equals("In")
                        && values.size() == 1) {
                    return values.get(0).asText();
                }
            }
        }
        return "";
    }

    List<String> words() {
        return state.words();
    }

    String name() {
        return state.name();
    }

    String uid() {
        return state.uid();
    }

    boolean isDeleting() {
        return state.deleting();
    }

    boolean isAvailable(Duration minReady, Instant now) {
        return state.isAvailable(minReady, now);
    }

    String hash() {
        return Json.textAt(state.labels(), TemplateRevision.POD_LABEL);
    }

    /**
     * Whether it is of the current version.
     *
     * @param generation how often the template has changed, empty if unknown
     */
    boolean isOf(String hash, String generation) {
        return hash().equals(hash)
                || (!generation.isEmpty()
                        && Json.textAt(state.labels(), DaemonTemplate.GENERATION_LABEL)
                                .equals(generation));
    }

    DaemonPod whenDeleting() {
        return new DaemonPod(state.whenDeleting(), target);
    }
}
