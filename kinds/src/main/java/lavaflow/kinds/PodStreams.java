package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which container of a pod a client means when it wants to see logs, run a command or attach. */
public final class PodStreams {
    private PodStreams() {}

    /** The name of the container, which clients may leave out where there is but one. */
    public static String container(ObjectNode pod, String asked) throws ApiException {
        String name = Json.textAt(pod, "metadata", "name");
        List<String> all = PodSpecs.allContainers(pod.get("spec")).stream()
                .map(container -> Json.textAt(container, "name"))
                .toList();
        if (!asked.isEmpty()) {
            if (!all.contains(asked)) {
                throw ApiException.badRequest("container " + asked + " is not valid for pod " + name);
            }
            return asked;
        }
        List<ObjectNode> containers = PodSpecs.containers(pod.get("spec"));
        if (containers.size() == 1) {
            return Json.textAt(containers.getFirst(), "name");
        }
        String choice = containers.isEmpty() ? "" : ", choose one of: " + Nodes.goList(all);
        throw ApiException.badRequest("a container name must be specified for pod " + name + choice);
    }

    /** The node whose kubelet serves a running command. */
    public static String node(ObjectNode pod) throws ApiException {
        String node = Json.textAt(pod, "spec", "nodeName");
        if (node.isEmpty()) {
            throw ApiException.badRequest(
                    "pod " + Json.textAt(pod, "metadata", "name") + " does not have a host assigned");
        }
        return node;
    }
}
