package lavaflow.kinds;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a pod's spec need to know of the rest while they are checked.
 *
 * @param pod the pod the spec belongs to; null for a template, which is checked a little more leniently
 * @param spec the whole spec
 * @param volumes the valid volumes by name
 * @param claims names of the pod's resource claims
 */
record PodScope(@Nullable ObjectNode pod, ObjectNode spec, Map<String, ObjectNode> volumes, Set<String> claims) {
    static PodScope of(@Nullable ObjectNode pod, ObjectNode spec, Map<String, ObjectNode> volumes) {
        Set<String> claims = new java.util.TreeSet<>();
        for (ObjectNode claim : Nodes.objects(spec, "resourceClaims")) {
            claims.add(Json.textAt(claim, "name"));
        }
        claims.remove("");
        return new PodScope(pod, spec, volumes, claims);
    }

    boolean isPod() {
        return pod != null;
    }

    /** Null where it is missing, which is an error of its own. */
    @Nullable
    Long gracePeriod() {
        JsonNode seconds = Json.at(spec, "terminationGracePeriodSeconds");
        return seconds == null ? null : seconds.longValue();
    }

    String restartPolicy() {
        return Json.textAt(spec, "restartPolicy");
    }

    /** Whether containers share the user namespace of the host, as they do unless told otherwise. */
    boolean hostUsers() {
        JsonNode flag = Json.at(spec, "hostUsers");
        return flag == null || flag.booleanValue();
    }

    /** Names of containers in one or more of the lists. */
    Set<String> containerNames(String... lists) {
        Set<String> names = new HashSet<>();
        for (String list : lists) {
            for (ObjectNode container : Nodes.objects(spec, list)) {
                names.add(Json.textAt(container, "name"));
            }
        }
        return names;
    }
}
