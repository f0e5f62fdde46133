package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.Followers;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What matters to volumes in a pod that uses claims.
 *
 * @param claims names of the claims it uses
 */
record ClaimUser(String namespace, String name, String uid, String node, boolean finished, List<String> claims) {
    static Mirror<ClaimUser> mirror(Followers followers) {
        return new Mirror<>(followers, ReplicaControllers.PODS, ClaimUser::of, ClaimUser::words);
    }

    /** Words under which a mirror finds pods: by each claim, and by the node. */
    private List<String> words() {
        List<String> words = new ArrayList<>();
        claims.forEach(claim -> words.add(VolumeState.of(namespace, claim)));
        if (placed()) {
            words.add(on(node));
        }
        return words;
    }

    static String on(String node) {
        return "on " + node;
    }

    /** The pod as events name it. */
    ObjectNode reference() {
        ObjectNode about = Objects.named(name).put("apiVersion", "v1").put("kind", "Pod");
        Json.ensureObject(about, "metadata").put("namespace", namespace).put("uid", uid);
        return about;
    }

    private static @Nullable ClaimUser of(ObjectNode pod) {
        List<String> claims = new ArrayList<>(0);
        for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
            if (volume.has("ephemeral")) {
                claims.add(Objects.name(pod) + "-" + Json.textAt(volume, "name"));
            } else if (volume.has("persistentVolumeClaim")) {
                claims.add(Json.textAt(volume, "persistentVolumeClaim", "claimName"));
            }
        }
        if (claims.isEmpty()) {
            return null;
        }
        String phase = Json.textAt(pod, "status", "phase");
        return new ClaimUser(
                Objects.namespace(pod),
                Objects.name(pod),
                Objects.uid(pod),
                Json.textAt(pod, "spec", "nodeName"),
                phase.equals("Succeeded") || phase.equals("Failed"),
                List.copyOf(claims));
    }

    boolean placed() {
        return !node.isEmpty();
    }
}
