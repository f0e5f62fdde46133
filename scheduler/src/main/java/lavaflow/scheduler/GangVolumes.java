package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Decision;
import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.Devices;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.Volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Pods of gangs that have a node and wait for their volumes or devices there. */
final class GangVolumes {
    /** Who makes volumes needs a moment; whoever has none after it is told of. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private record Waiting(
            ScheduledPod pod,
            String group,
            String node,
            ObjectNode annotations,
            Instant since,
            List<VolumeClaim> claims) {}

    /** Hears of groups that wait for volumes, and why. */
    interface Holdups {
        void heldUp(String group, String message);
    }

    private final ClusterState state;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();
    /** Those who have been told of. */
    private final Set<String> told = new HashSet<>();

    GangVolumes(ClusterState state) {
        this.state = state;
    }

    /** What has to be chosen before a pod can be bound; empty if nothing, null if others have taken what it wants. */
    @Nullable
    List<Volumes.Choice> choices(Decision.Bind bind, Instant now) {
        ScheduledPod pod = bind.member().spec().pod();
        PlacedPod placed = state.findPlaced(pod.uid());
        Integer slot = state.nodes().find(bind.node());
        if (placed == null || slot == null || placed.type().claims.isEmpty()) {
            return List.of();
        }
        Volumes.Wanted wanted = new Attempt(state, pod, placed.type()).volumes();
        List<Volumes.Choice> choices =
                wanted == null ? List.of() : wanted.choices(state.nodes().node(slot));
        if (choices == null || choices.isEmpty()) {
            return choices;
        }
        state.volumes().choose(choices);
        List<VolumeClaim> claims = choices.stream().map(Volumes.Choice::claim).toList();
        waiting.put(
                pod.uid(),
                new Waiting(pod, bind.member().gang().spec().key(), bind.node(), bind.annotations(), now, claims));
        return choices;
    }

    /** A pod has devices that have to be awaited, too. */
    void await(Decision.Bind bind, Instant now) {
        ScheduledPod pod = bind.member().spec().pod();
        String group = bind.member().gang().spec().key();
        waiting.putIfAbsent(pod.uid(), new Waiting(pod, group, bind.node(), bind.annotations(), now, List.of()));
    }

    void forget(String uid) {
        told.remove(uid);
        Waiting was = waiting.remove(uid);
        if (was != null) {
            state.volumes().release(was.claims());
        }
    }

    /** Binds those whose volumes are there now, and gives up on those whose will not be. */
    void check(GangWriter writer, GangWriter.Troubles troubles, Holdups holdups, Instant now) {
        for (Waiting each : List.copyOf(waiting.values())) {
            ScheduledPod pod = each.pod();
            PlacedPod placed = state.findPlaced(pod.uid());
            if (placed == null) {
                forget(pod.uid());
                continue;
            }
            Devices.Readiness devices = state.devices().readiness(pod, placed.type(), now);
            boolean bound = state.volumes().areBound(pod.namespace(), placed.type().claims);
            if (bound && devices.ready()) {
                waiting.remove(pod.uid());
                told.remove(pod.uid());
                writer.bind(pod, each.node(), each.annotations());
                continue;
            }
            String ofVolumes = bound ? null : SchedulerCore.trouble(state.volumes(), each.claims(), each.since(), now);
            String trouble = ofVolumes == null ? devices.problem() : "binding volumes: " + ofVolumes;
            if (trouble != null) {
                forget(pod.uid());
                writer.tell(pod, "SchedulerError", trouble, each.node());
                writer.release(pod);
                troubles.bindingFailed(pod.uid());
            } else if (!each.since().plus(MOMENT).isAfter(now) && told.add(pod.uid())) {
                holdups.heldUp(each.group(), reason(each));
            }
        }
    }

    private String reason(Waiting each) {
        String what = each.claims().isEmpty() ? "devices that are not ready" : "volumes:";
        StringBuilder text =
                new StringBuilder("pod " + each.pod().name() + " has node " + each.node() + " and waits for " + what);
        for (VolumeClaim claim : each.claims()) {
            if (!state.volumes().areBound(claim.namespace(), List.of(claim.name()))) {
                text.append(" persistentvolumeclaim \"").append(claim.name()).append("\" is not bound");
                String provisioner = state.volumes().provisioner(claim);
                if (!provisioner.isEmpty()) {
                    text.append(" (provisioner ")
                            .append(provisioner)
                            .append(" of storage class ")
                            .append(claim.className());
                    text.append(" has made nothing yet)");
                }
            }
        }
        return text.toString();
    }

    /** When the first of them will have waited long enough to be told of, or to be given up; null if none waits. */
    @Nullable
    Instant nextDue() {
        if (waiting.isEmpty()) {
            return null;
        }
        for (Waiting each : waiting.values()) {
            if (!told.contains(each.pod().uid())) {
                return each.since().plus(MOMENT);
            }
        }
        return waiting.values().iterator().next().since().plus(SchedulerCore.VOLUME_PATIENCE);
    }
}
