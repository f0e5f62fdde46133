package lavaflow.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Where pods could leave something that outlives them. */
final class Artifacts {
    private static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    private static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");

    private Artifacts() {}

    static List<String> of(KubeApi api, String namespace, Collection<ObjectNode> pods) {
        Set<String> places = new LinkedHashSet<>();
        for (ObjectNode pod : pods) {
            for (JsonNode volume : Json.listAt(pod, "spec", "volumes")) {
                String claim = Json.textAt(volume, "persistentVolumeClaim", "claimName");
                String path = Json.textAt(volume, "hostPath", "path");
                if (!claim.isEmpty() && isWritten(pod, volume)) {
                    places.add("claim " + claim
                            + directory(api, namespace, claim)
                                    .map(each -> ": " + each)
                                    .orElse(""));
                } else if (!path.isEmpty() && isWritten(pod, volume)) {
                    places.add(path + " on node " + Json.textAt(pod, "spec", "nodeName"));
                }
            }
        }
        return new ArrayList<>(places);
    }

    private static boolean isWritten(ObjectNode pod, JsonNode volume) {
        for (JsonNode container : Json.listAt(pod, "spec", "containers")) {
            for (JsonNode mount : Json.listAt(container, "volumeMounts")) {
                if (Json.textAt(mount, "name").equals(Json.textAt(volume, "name")) && !Json.flagAt(mount, "readOnly")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Optional<String> directory(KubeApi api, String namespace, String claim) {
        try {
            return api.find(CLAIMS, namespace, claim)
                    .flatMap(found -> api.find(VOLUMES, "", Json.textAt(found, "spec", "volumeName")))
                    .map(volume -> {
                        String local = Json.textAt(volume, "spec", "local", "path");
                        return local.isEmpty() ? Json.textAt(volume, "spec", "hostPath", "path") : local;
                    })
                    .filter(path -> !path.isEmpty());
        } catch (ApiException _) {
            return Optional.empty(); // who runs jobs need not be allowed to see volumes
        }
    }
}
