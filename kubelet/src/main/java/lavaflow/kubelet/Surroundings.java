package lavaflow.kubelet;

import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.node.NodeClaims;
import lavaflow.sandbox.RuntimeInfo;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What all pods of a node share.
 *
 * @param api as the node itself
 * @param services of all namespaces
 * @param node the Node as the API has it
 * @param devices what pods may have of the machine's cards and the like
 * @param disk what pods have written
 * @param machineMemory of the whole machine
 */
record Surroundings(
        NodeSettings settings,
        NodeTools tools,
        KubeApi api,
        Environment.Objects objects,
        Supplier<List<ObjectNode>> services,
        Supplier<ObjectNode> node,
        PodEvents events,
        NodeClaims claims,
        PodFiles files,
        Probing probing,
        Exits exits,
        Timers timers,
        DeviceTable devices,
        PodDisk disk,
        InstantSource clock,
        long machineMemory) {
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    RuntimeInfo runtime() {
        return tools.runtime().info();
    }
}
