package lavaflow.kinds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses and ports a service needs, keeps and gives back.
 *
 * <p>The server calls, after defaulting and before preparation: {@link #plan}; for each claim it allocates a value and
 * calls {@link #assign}; a claim it cannot meet becomes an error through {@link #refuse}. What is released is given back
 * once the write is committed, what was taken once it is rolled back.
 */
public final class ServiceAddresses {
    /** Something to be taken from a pool. */
    public sealed interface Claim {
        /** An address of a family, the {@code index}-th of the service; wanted is null for any. */
        record ClusterIp(String family, int index, @Nullable String wanted) implements Claim {}

        /** One node port for the given ports of the service; wanted is 0 for any. */
        record NodePort(List<Integer> ports, long wanted) implements Claim {}

        /** The port that load balancers ask for health; wanted is 0 for any. */
        record HealthCheckPort(long wanted) implements Claim {}
    }

    /**
     * What to take and what to give back.
     *
     * @param claims in the order they are to be met
     */
    public record Plan(List<Claim> claims, List<String> releasedIps, List<Long> releasedPorts) {}

    private ServiceAddresses() {}

    /**
     * Fills in what can be known without pools and says what is needed from them.
     *
     * @param old what the service was, null on create
     * @param service changed in place
     * @param families the families that have a pool, the default one first
     * @param errors where an impossible wish is reported; the plan is then empty
     */
    public static Plan plan(@Nullable ObjectNode old, ObjectNode service, List<String> families, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        ObjectNode before = old == null ? null : Json.ensureObject(old.deepCopy(), "spec");
        if (before != null) {
            ServiceContinuity.patchAllocated(spec, before);
        }
        ServiceContinuity.normalizeClusterIps(spec, before);
        ServiceFamilies.complete(spec, before, families, errors);
        Plan plan = new Plan(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        if (errors.isEmpty()) {
            planIps(spec, before, plan);
            planPorts(spec, before, plan);
            planHealthCheck(spec, before, plan);
        }
        return plan;
    }

    /** What a service gives back when it goes away. */
    public static Plan release(ObjectNode service) {
        ObjectNode spec = Json.ensureObject(service.deepCopy(), "spec");
        List<String> ips = new ArrayList<>();
        if (ServiceShape.needsClusterIp(spec)) {
            ServiceShape.clusterIps(spec).stream()
                    .filter(ip -> !ip.equals(ServiceShape.NONE))
                    .forEach(ips::add);
        }
        List<Long> ports = new ArrayList<>(new LinkedHashSet<>(ServiceShape.nodePorts(spec)));
        long health = Json.longAt(spec, 0, "healthCheckNodePort");
        if (ServiceShape.needsHealthCheckPort(spec) && health > 0) {
            ports.add(health);
        }
        return new Plan(List.of(), ips, ports);
    }

    private static void planIps(ObjectNode spec, @Nullable ObjectNode before, Plan plan) {
        if (before == null || !ServiceShape.needsClusterIp(before)) {
            if (ServiceShape.needsClusterIp(spec)) {
                claimIps(spec, 0, plan);
            }
            return;
        }
        List<String> oldIps = ServiceShape.clusterIps(before);
        if (!oldIps.isEmpty() && oldIps.getFirst().equals(ServiceShape.NONE)) {
            return;
        }
        if (!ServiceShape.needsClusterIp(spec)) {
            plan.releasedIps().addAll(oldIps);
            return;
        }
        int oldFamilies = ServiceShape.families(before).size();
        int newFamilies = ServiceShape.families(spec).size();
        if (oldFamilies == 1 && newFamilies == 2) {
            claimIps(spec, 1, plan);
        } else if (oldFamilies == 2 && newFamilies == 1 && oldIps.size() == 2) {
            plan.releasedIps().add(oldIps.get(1));
        }
    }

    private static void claimIps(ObjectNode spec, int from, Plan plan) {
        List<String> ips = ServiceShape.clusterIps(spec);
        if (!ips.isEmpty() && ips.getFirst().equals(ServiceShape.NONE)) {
            return;
        }
        List<String> families = ServiceShape.families(spec);
        for (int i = from; i < families.size(); i++) {
            String wanted = i < ips.size() && !ips.get(i).isEmpty() ? ips.get(i) : null;
            plan.claims().add(new Claim.ClusterIp(families.get(i), i, wanted));
        }
    }

    private static void planPorts(ObjectNode spec, @Nullable ObjectNode before, Plan plan) {
        if (ServiceShape.needsNodePorts(spec)) {
            if (before == null) {
                claimNewPorts(spec, plan);
            } else {
                claimChangedPorts(spec, before, plan);
            }
        }
        if (before != null && ServiceShape.needsNodePorts(before)) {
            Set<Long> kept =
                    ServiceShape.needsNodePorts(spec) ? new LinkedHashSet<>(ServiceShape.nodePorts(spec)) : Set.of();
            for (long port : new LinkedHashSet<>(ServiceShape.nodePorts(before))) {
                if (!kept.contains(port)) {
                    plan.releasedPorts().add(port);
                }
            }
        }
    }

    /** TCP and UDP on one port share one node port, whether given or not. */
    private static void claimNewPorts(ObjectNode spec, Plan plan) {
        List<ObjectNode> ports = Nodes.objects(spec, "ports");
        Map<Long, Integer> claimOfPort = new LinkedHashMap<>();
        for (int i = 0; i < ports.size(); i++) {
            long port = Json.longAt(ports.get(i), 0, "port");
            long given = Json.longAt(ports.get(i), 0, "nodePort");
            if (given == 0 && !ServiceShape.allocatesNodePorts(spec)) {
                continue;
            }
            Integer shared = claimOfPort.get(port);
            if (shared == null) {
                claimOfPort.put(port, plan.claims().size());
                plan.claims().add(new Claim.NodePort(new ArrayList<>(List.of(i)), requested(ports, port)));
                continue;
            }
            Claim.NodePort claim = (Claim.NodePort) plan.claims().get(shared);
            if (given == 0 || given == claim.wanted()) {
                claim.ports().add(i);
            } else {
                plan.claims().add(new Claim.NodePort(List.of(i), given));
            }
        }
    }

    private static long requested(List<ObjectNode> ports, long port) {
        for (ObjectNode each : ports) {
            long nodePort = Json.longAt(each, 0, "nodePort");
            if (nodePort != 0 && Json.longAt(each, 0, "port") == port) {
                return nodePort;
            }
        }
        return 0;
    }

    private static void claimChangedPorts(ObjectNode spec, ObjectNode before, Plan plan) {
        Set<Long> held = new LinkedHashSet<>(ServiceShape.nodePorts(before));
        List<ObjectNode> ports = Nodes.objects(spec, "ports");
        for (int i = 0; i < ports.size(); i++) {
            long given = Json.longAt(ports.get(i), 0, "nodePort");
            if (given == 0 && !ServiceShape.allocatesNodePorts(spec)) {
                continue;
            }
            if (given == 0 || held.add(given)) {
                plan.claims().add(new Claim.NodePort(List.of(i), given));
            }
        }
    }

    private static void planHealthCheck(ObjectNode spec, @Nullable ObjectNode before, Plan plan) {
        boolean needed = before != null && ServiceShape.needsHealthCheckPort(before);
        boolean needs = ServiceShape.needsHealthCheckPort(spec);
        if (needs && !needed) {
            plan.claims().add(new Claim.HealthCheckPort(Json.longAt(spec, 0, "healthCheckNodePort")));
        } else if (needed && !needs && before != null) {
            plan.releasedPorts().add(Json.longAt(before, 0, "healthCheckNodePort"));
        }
    }

    /** Writes an address that was taken for a claim into the service. */
    public static void assign(ObjectNode service, Claim.ClusterIp claim, String ip) {
        ObjectNode spec = Json.ensureObject(service, "spec");
        ArrayNode ips = Json.listAt(spec, "clusterIPs");
        while (ips.size() <= claim.index()) {
            ips.add("");
        }
        ips.set(claim.index(), Json.text(ip));
        spec.set("clusterIPs", ips);
        if (claim.index() == 0) {
            spec.put("clusterIP", ip);
        }
    }

    /** Writes a port that was taken for a claim into the service. */
    public static void assign(ObjectNode service, Claim.NodePort claim, long port) {
        List<ObjectNode> ports = Nodes.objects(service, "spec", "ports");
        claim.ports().forEach(index -> ports.get(index).put("nodePort", port));
    }

    /** Writes a port that was taken for a claim into the service. */
    public static void assign(ObjectNode service, Claim.HealthCheckPort claim, long port) {
        Json.ensureObject(service, "spec").put("healthCheckNodePort", port);
    }

    /** Reports a wanted address or port that cannot be had; {@code why} is the pool's: "provided port is already allocated". */
    public static void refuse(ObjectNode service, Claim claim, String why, FieldErrors errors) {
        FieldPath spec = FieldPath.of("spec");
        switch (claim) {
            case Claim.ClusterIp ip -> {
                String wanted = ip.wanted();
                String what = wanted == null ? "failed to allocate IP: " : "failed to allocate IP " + wanted + ": ";
                errors.invalid(spec.child("clusterIPs"), Json.listAt(service, "spec", "clusterIPs"), what + why);
            }
            case Claim.NodePort port ->
                errors.invalid(
                        spec.child("ports").index(port.ports().getFirst()).child("nodePort"), port.wanted(), why);
            case Claim.HealthCheckPort port ->
                // Upstream answers 500 here; what the user got wrong should not look like our failure.
                errors.invalid(
                        spec.child("healthCheckNodePort"),
                        port.wanted(),
                        "failed to allocate requested HealthCheck NodePort " + port.wanted() + ": " + why);
        }
    }
}
