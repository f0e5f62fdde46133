package lavaflow.scheduler;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Decision;
import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.Volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Pods of gangs that have a node and wait for their volumes there. */
final class GangVolumes {
    private record Waiting(
            ScheduledPod pod, String node, ObjectNode annotations, Instant since, List<VolumeClaim> claims) {}

    private final ClusterState state;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

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
        waiting.put(pod.uid(), new Waiting(pod, bind.node(), bind.annotations(), now, claims));
        return choices;
    }

    void forget(String uid) {
        Waiting was = waiting.remove(uid);
        if (was != null) {
            state.volumes().release(was.claims());
        }
    }

    /** Binds those whose volumes are there now, and gives up on those whose will not be. */
    void check(GangWriter writer, GangWriter.Troubles troubles, Instant now) {
        for (Waiting each : List.copyOf(waiting.values())) {
            ScheduledPod pod = each.pod();
            PlacedPod placed = state.findPlaced(pod.uid());
            List<String> claims = placed == null ? List.of() : placed.type().claims;
            if (state.volumes().areBound(pod.namespace(), claims)) {
                waiting.remove(pod.uid());
                writer.bind(pod, each.node(), each.annotations());
                continue;
            }
            String trouble = SchedulerCore.trouble(state.volumes(), each.claims(), each.since(), now);
            if (trouble != null) {
                forget(pod.uid());
                writer.tell(pod, "SchedulerError", "binding volumes: " + trouble, each.node());
                troubles.bindingFailed(pod.uid());
            }
        }
    }

    /** When the first of them will have waited long enough; null if none waits. */
    @Nullable
    Instant nextDue() {
        return waiting.isEmpty()
                ? null
                : waiting.values().iterator().next().since().plus(SchedulerCore.VOLUME_PATIENCE);
    }
}
