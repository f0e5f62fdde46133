package lavaflow.cluster;

import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.Taint;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What decides whether daemons run on a node. A heartbeat changes none of it.
 *
 * @param labels {@code metadata.labels}, maybe empty
 */
record DaemonNode(String name, ObjectNode labels, List<Taint> taints) {
    static final KubeApi.Kind KIND = KubeApi.Kind.clusterWide("nodes");

    static DaemonNode of(ObjectNode node) {
        ObjectNode labels = Json.objectAt(node, "metadata", "labels");
        return new DaemonNode(Objects.name(node), labels == null ? Json.object() : labels, Taint.of(node));
    }
}
