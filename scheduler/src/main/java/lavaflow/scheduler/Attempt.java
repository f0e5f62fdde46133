package lavaflow.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.HostPort;

import org.jspecify.annotations.Nullable;

/**
 * The nodes as one pod sees them at one moment: which could take it, which would be best, and why not the others. Made
 * anew for every try; what is costly is kept in {@link NodeChoice} and {@link PodCounts}.
 */
final class Attempt {
    private final ClusterState state;
    private final NodeTable nodes;
    private final ScheduledPod pod;
    private final PodClass type;
    private Neighbours neighbours;
    private final Volumes.@Nullable Wanted volumes;

    Attempt(ClusterState state, ScheduledPod pod, PodClass type) {
        this.state = state;
        this.nodes = state.nodes();
        this.pod = pod;
        this.type = type;
        state.counts().trim();
        this.neighbours = Neighbours.of(state, type);
        this.volumes = type.claims.isEmpty() ? null : state.volumes().wanted(type);
    }

    /** Something no node can help with; null if there is nothing such. */
    @Nullable
    String hopeless() {
        String byNodes = type.choice.hopeless();
        return byNodes != null || volumes == null ? byNodes : volumes.problem();
    }

    Volumes.@Nullable Wanted volumes() {
        return volumes;
    }

    /** The slot of the best node, or -1. */
    int best() {
        int nominated = nominatedSlot();
        if (nominated >= 0 && refusal(nominated) == null) {
            return nominated;
        }
        Set<String> names = type.choice.names;
        if (names == null && onlyRoomCounts()) {
            return state.ranking(type).best(nodes);
        }
        Scores scores = new Scores(state, type, neighbours);
        if (names == null) {
            for (int slot = 0; slot < nodes.slots(); slot++) {
                consider(slot, scores);
            }
        } else {
            // Pods of a DaemonSet name one node each; the others need not be looked at.
            names.stream().map(nodes::find).filter(Objects::nonNull).sorted().forEach(slot -> consider(slot, scores));
        }
        return scores.best();
    }

    private void consider(int slot, Scores scores) {
        if (nodes.isKnown(slot) && refusal(slot) == null) {
            scores.consider(slot);
        }
    }

    /** Whether neither neighbours nor anything else but room decides between nodes. */
    private boolean onlyRoomCounts() {
        return volumes == null
                && type.ports.isEmpty()
                && neighbours.isEmpty()
                && !state.hasNominations()
                && Scores.arePlain(state, type, neighbours);
    }

    private int nominatedSlot() {
        String node = state.nomination(pod.uid());
        Integer slot = node.isEmpty() ? null : nodes.find(node);
        return slot != null && nodes.isKnown(slot) ? slot : -1;
    }

    /** Why a node cannot take the pod, also when those have come that room is made for; null if it can. */
    @Nullable
    Reason refusal(int slot) {
        Reason reason = refusalNow(slot);
        if (reason != null || !state.hasNominations()) {
            return reason;
        }
        List<PlacedPod> expected = state.expected(nodes.node(slot).name(), pod);
        if (expected.isEmpty()) {
            return null;
        }
        expected.forEach(each -> state.putOn(each, slot));
        look();
        try {
            return refusalNow(slot);
        } finally {
            expected.forEach(each -> state.takeFrom(each, slot));
            look();
        }
    }

    /** Looks at the neighbours again, after pods were moved for trial. */
    void look() {
        if (!neighbours.isEmpty() || !type.terms.isEmpty()) {
            neighbours = Neighbours.of(state, type);
        }
    }

    private @Nullable Reason refusalNow(int slot) {
        Reason byNode = type.choice.refusal(nodes, slot);
        if (byNode != null) {
            return byNode;
        }
        if (!type.ports.isEmpty() && portsTaken(slot)) {
            return Reason.PORTS;
        }
        if (!nodes.hasRoom(type, slot)) {
            return Reason.RESOURCES;
        }
        Reason byVolume = volumes == null ? null : volumes.refusal(nodes.node(slot), nodes.pods(slot), state::isUsed);
        return byVolume != null ? byVolume : neighbours.refusal(slot);
    }

    private boolean portsTaken(int slot) {
        for (PlacedPod other : nodes.pods(slot)) {
            for (HostPort taken : other.type().ports) {
                for (HostPort wanted : type.ports) {
                    if (wanted.conflicts(taken)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The reasons of a node in words. */
    List<String> explain(int slot) {
        Reason reason = refusal(slot);
        if (reason == null) {
            return List.of();
        }
        if (reason != Reason.RESOURCES) {
            return List.of(reason.message());
        }
        List<String> missing = nodes.missing(type, slot);
        return missing.isEmpty() ? new ArrayList<>(missingWithExpected(slot)) : missing;
    }

    private List<String> missingWithExpected(int slot) {
        List<PlacedPod> expected = state.expected(nodes.node(slot).name(), pod);
        expected.forEach(each -> state.putOn(each, slot));
        try {
            return nodes.missing(type, slot);
        } finally {
            expected.forEach(each -> state.takeFrom(each, slot));
        }
    }

    /** Whether a node that refuses might take the pod once others are gone. */
    boolean preemptionHelps(int slot) {
        Reason reason = refusal(slot);
        return reason != null
                && reason.preemptionHelps()
                && (reason != Reason.RESOURCES || nodes.couldHaveRoom(type, slot));
    }
}
