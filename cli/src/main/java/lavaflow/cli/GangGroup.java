package lavaflow.cli;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Finds the PodGroup behind what runs pods. */
final class GangGroup {
    private static final KubeApi.Kind GROUPS = new KubeApi.Kind("scheduling.volcano.sh", "v1beta1", "podgroups", true);
    private static final String GROUP_NAME = "scheduling.k8s.io/group-name";

    private GangGroup() {}

    /** By what its pods say, else by the names that Volcano and Kubeflow give it. */
    static Optional<ObjectNode> find(KubeApi api, Target target, Collection<ObjectNode> pods) {
        if (target.kind().resource().equals(GROUPS.resource())) {
            return api.find(target.kind(), target.namespace(), target.name());
        }
        if (!api.kinds().contains(GROUPS)) {
            return Optional.empty();
        }
        Set<String> names = new LinkedHashSet<>();
        pods.forEach(pod -> names.add(Json.textAt(pod, "metadata", "annotations", GROUP_NAME)));
        names.remove("");
        if (names.isEmpty()) {
            names.add(target.name() + "-" + Json.textAt(target.object(), "metadata", "uid"));
            names.add(target.name());
        }
        return names.stream()
                .limit(2)
                .flatMap(name -> api.find(GROUPS, target.namespace(), name).stream())
                .findFirst();
    }
}
