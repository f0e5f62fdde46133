package lavaflow.scheduler;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.HyperNodeSpec;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.NumatopologySpec;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Snapshot;
import lavaflow.gang.Surroundings;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.placement.ClusterState;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.DeviceClass;
import lavaflow.placement.DeviceSlice;
import lavaflow.placement.Devices;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.NodeTable;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.StorageCapacity;
import lavaflow.placement.Volume;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.VolumeClass;
import lavaflow.placement.Volumes;
import lavaflow.plugins.Plugins;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a scheduler of gangs would know of a cluster, read once: for clusters whose scheduler cannot be asked. */
public final class ListedCluster {
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final KubeApi api;
    private final Set<KubeApi.Kind> served;
    private final ClusterState cluster = new ClusterState();
    private final GangCore core = new GangCore(cluster, Plugins::make);

    private ListedCluster(KubeApi api) {
        this.api = api;
        this.served = new HashSet<>(api.kinds());
    }

    /**
     * Reads a cluster.
     *
     * @param schedulers pods that name one of these belong to gangs
     * @param configuration null for the one of Volcano's installation, or the usual one where that has none
     */
    public static Snapshot read(
            KubeApi api, Set<String> schedulers, @Nullable Configuration configuration, Instant now) {
        ListedCluster listed = new ListedCluster(api);
        listed.surroundings();
        listed.gangs();
        listed.pods(schedulers);
        listed.core.configure(configuration == null ? listed.configuration() : configuration);
        return listed.core.snapshot(now);
    }

    private void each(KubeApi.Kind kind, Consumer<ObjectNode> take) {
        if (served.contains(kind)) {
            api.list(kind, "", KubeApi.View.WHOLE, take);
        }
    }

    /** What matters for few: who may not read it gets an answer without. */
    private void eachIfAllowed(KubeApi.Kind kind, Consumer<ObjectNode> take) {
        try {
            each(kind, take);
        } catch (ApiException e) {
            if (e.code() != FORBIDDEN && e.code() != NOT_FOUND) {
                throw e;
            }
        }
    }

    private void surroundings() {
        Volumes volumes = cluster.volumes();
        each(Scheduler.NODES, node -> core.onNode(NodeTable.Node.of(node)));
        eachIfAllowed(Scheduler.NAMESPACES, namespace -> {
            ObjectNode labels = Json.objectAt(namespace, "metadata", "labels");
            cluster.putNamespace(Inbox.name(namespace), labels == null ? Json.object() : labels);
        });
        eachIfAllowed(Scheduler.CLAIMS, claim -> volumes.putClaim(Inbox.place(claim), VolumeClaim.of(claim)));
        eachIfAllowed(Scheduler.VOLUMES, volume -> volumes.putVolume(Inbox.name(volume), Volume.of(volume)));
        eachIfAllowed(Scheduler.CLASSES, type -> volumes.putClass(Inbox.name(type), VolumeClass.of(type)));
        eachIfAllowed(Scheduler.NODE_DRIVERS, node -> volumes.putLimits(Inbox.name(node), Scheduler.limits(node)));
        eachIfAllowed(
                Scheduler.DRIVERS,
                driver -> volumes.putDriver(Inbox.name(driver), Json.flagAt(driver, "spec", "storageCapacity")));
        eachIfAllowed(
                Scheduler.CAPACITIES,
                capacity -> volumes.putCapacity(Inbox.place(capacity), StorageCapacity.of(capacity)));
        Devices devices = cluster.devices();
        eachIfAllowed(DeviceKinds.CLASSES, type -> devices.putClass(Inbox.name(type), DeviceClass.of(type)));
        eachIfAllowed(DeviceKinds.SLICES, slice -> devices.putSlice(Inbox.name(slice), DeviceSlice.of(slice)));
        eachIfAllowed(DeviceKinds.CLAIMS, claim -> devices.putClaim(Inbox.place(claim), DeviceClaim.of(claim)));
        eachIfAllowed(Scheduler.BUDGETS, budget -> cluster.putBudget(Inbox.place(budget), DisruptionBudget.of(budget)));
        eachIfAllowed(GangKinds.QUOTAS, quota -> core.surroundings().put(Surroundings.Quota.of(quota)));
        eachIfAllowed(
                GangKinds.PRIORITIES,
                type -> core.onPriority(
                        Inbox.name(type), (int) Json.longAt(type, 0, "value"), Json.flagAt(type, "globalDefault")));
    }

    /** Of two spellings of the same the newer one counts, so it comes last. */
    private void gangs() {
        eachIfAllowed(GangKinds.OLD_QUEUES, queue -> core.onQueue(QueueSpec.of(queue)));
        each(GangKinds.QUEUES, queue -> core.onQueue(QueueSpec.of(queue)));
        eachIfAllowed(GangKinds.PLUGIN_GROUPS, group -> core.onGroup(GroupSpec.of(PluginGroup.inVolcanosForm(group))));
        eachIfAllowed(GangKinds.OLD_GROUPS, group -> core.onGroup(GroupSpec.of(group)));
        each(GangKinds.GROUPS, group -> core.onGroup(GroupSpec.of(group)));
        eachIfAllowed(GangKinds.HYPER_NODES, part -> core.onHyperNode(HyperNodeSpec.of(part)));
        eachIfAllowed(GangKinds.TOPOLOGIES, topology -> core.onNumatopology(NumatopologySpec.of(topology)));
    }

    private void pods(Set<String> schedulers) {
        each(Scheduler.PODS, pod -> {
            if (schedulers.contains(Json.textAt(pod, "spec", "schedulerName"))) {
                core.onPod(MemberSpec.of(pod, schedulers));
            } else {
                ScheduledPod other = ScheduledPod.of(pod);
                if (other.occupies()) {
                    cluster.place(other);
                }
            }
        });
    }

    private Configuration configuration() {
        try {
            ObjectNode map = api.find(GangConfiguration.MAPS, GangConfiguration.NAMESPACE, GangConfiguration.NAME)
                    .orElse(null);
            JsonNode text = map == null ? null : Json.at(map, "data", GangConfiguration.KEY);
            return text == null ? Configuration.usual() : Configuration.parse(text.asText());
        } catch (ApiException e) {
            if (e.code() != FORBIDDEN && e.code() != NOT_FOUND) {
                throw e;
            }
            return Configuration.usual();
        }
    }
}
