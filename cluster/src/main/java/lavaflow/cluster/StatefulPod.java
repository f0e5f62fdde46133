package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the StatefulSet controller looks at in a pod.
 *
 * @param claims which claim each volume of the pod mounts, by the volume's name
 */
record StatefulPod(PodState state, Map<String, String> claims) {
    static final String NAME_LABEL = "statefulset.kubernetes.io/pod-name";
    static final String INDEX_LABEL = "apps.kubernetes.io/pod-index";

    /** Of a StatefulSet, or an orphan that could become one's by its name. */
    static boolean isWanted(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        return owner == null
                ? ordinalOf(Objects.name(pod)) >= 0
                : owner.kind().equals("StatefulSet") && owner.apiVersion().startsWith("apps/");
    }

    static StatefulPod of(ObjectNode pod) {
        Map<String, String> claims = Map.of();
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            String claim = Json.textAt(volume, "persistentVolumeClaim", "claimName");
            if (!claim.isEmpty()) {
                claims = claims.isEmpty() ? new LinkedHashMap<>() : claims;
                claims.put(Json.textAt(volume, "name"), claim);
            }
        }
        return new StatefulPod(PodState.of(pod), claims);
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

    /** The number at the end of its name, negative if there is none. */
    int ordinal() {
        return ordinalOf(name());
    }

    /** What comes before the number, empty if there is none. */
    String parent() {
        return ordinal() < 0 ? "" : name().substring(0, name().lastIndexOf('-'));
    }

    /** Only numbers as a set would write them count: {@code web-1}, not {@code web-01}. */
    static int ordinalOf(String name) {
        int dash = name.lastIndexOf('-');
        int digits = name.length() - dash - 1;
        if (dash < 1 || digits < 1 || digits > 10 || (digits > 1 && name.charAt(dash + 1) == '0')) {
            return -1;
        }
        long value = 0;
        for (int i = dash + 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = 10 * value + (c - '0');
        }
        return value > Integer.MAX_VALUE ? -1 : (int) value;
    }

    String revision() {
        return Json.textAt(state.labels(), TemplateRevision.POD_LABEL);
    }

    boolean isDeleting() {
        return state.deleting();
    }

    boolean isPending() {
        return state.phase().equals("Pending");
    }

    boolean isRunningAndReady() {
        return state.phase().equals("Running") && state.isReady();
    }

    boolean isRunningAndAvailable(Duration minReady, Instant now) {
        return state.phase().equals("Running") && state.isAvailable(minReady, now);
    }

    /** Cannot serve: not ready for long enough, or on its way out. */
    boolean isUnavailable(Duration minReady, Instant now) {
        return isDeleting() || !isRunningAndAvailable(minReady, now);
    }

    StatefulPod whenDeleting() {
        return new StatefulPod(state.whenDeleting(), claims);
    }
}
