package lavaflow.placement;

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
public final class Attempt {
    private final ClusterState state;
    private final NodeTable nodes;
    private final ScheduledPod pod;
    private final PodClass type;
    private Neighbours neighbours;
    private final Volumes.@Nullable Wanted volumes;
    private final @Nullable DeviceNeeds devices;
    private final Rules rules;

    public Attempt(ClusterState state, ScheduledPod pod, PodClass type) {
        this(state, pod, type, Rules.ALL);
    }

    /** One where not all rules hold. */
    public Attempt(ClusterState state, ScheduledPod pod, PodClass type, Rules rules) {
        this.rules = rules;
        this.state = state;
        this.nodes = state.nodes();
        this.pod = pod;
        this.type = type;
        state.counts().trim();
        this.neighbours = Neighbours.of(state, type);
        this.volumes = state.volumesFor(type);
        this.devices = state.needsDevices(type) ? state.devices().wanted(pod, type) : null;
    }

    /** Something no node can help with; null if there is nothing such. */
    @Nullable
    public String hopeless() {
        String byNodes = rules.nodeAffinity() ? type.choice.hopeless() : null;
        String byVolumes = byNodes != null || volumes == null || !rules.volumeBinding() ? byNodes : volumes.problem();
        if (byVolumes != null || devices == null) {
            return byVolumes;
        }
        return devices.problem() != null ? devices.problem() : devices.trouble();
    }

    /** The devices the pod needs; null if none. */
    public @Nullable DeviceNeeds devices() {
        return devices;
    }

    public Volumes.@Nullable Wanted volumes() {
        return volumes;
    }

    /** The slot of the best node, or -1. */
    public int best() {
        int nominated = nominatedSlot();
        if (nominated >= 0 && refusal(nominated) == null) {
            return nominated;
        }
        Set<String> names = type.choice.names;
        if (names == null && onlyRoomCounts()) {
            Crowd crowd = state.crowds().of(type);
            return crowd == null ? state.ranking(type).best(nodes) : bestSpread(crowd);
        }
        Scores scores = new Scores(state, type, neighbours, devices);
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

    /**
     * Goes on with the nodes where the last pod's search ended, so that all have their turn. The one with most room is always
     * among them: of many nodes the last empty ones would be found late otherwise.
     */
    private int bestSpread(Crowd crowd) {
        int roomiest = state.ranking(type).best(nodes);
        if (roomiest < 0) {
            return -1;
        }
        DefaultSpread spread = new DefaultSpread(nodes, crowd);
        spread.consider(roomiest);
        int enough = DefaultSpread.enough(nodes.size());
        int slots = nodes.slots();
        int slot = slots == 0 ? 0 : state.crowds().turn() % slots;
        for (int i = 0; i < slots && spread.size() < enough; i++) {
            boolean fits = nodes.isKnown(slot) && type.choice.refusal(nodes, slot) == null && nodes.hasRoom(type, slot);
            if (fits && slot != roomiest) {
                spread.consider(slot);
            }
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        state.crowds().turn(slot);
        return best(spread);
    }

    private int best(DefaultSpread spread) {
        long[] scores = spread.scores();
        int best = -1;
        long bestRank = Long.MIN_VALUE;
        for (int i = 0; i < scores.length; i++) {
            int slot = spread.slot(i);
            // Both are in the upper half: what is left over, and where that is equal the number of pods.
            long rank = nodes.rank(type, slot) + ((Scores.SPREAD * scores[i]) << 32);
            if (best < 0 || rank > bestRank || (rank == bestRank && slot < best)) {
                best = slot;
                bestRank = rank;
            }
        }
        return best;
    }

    private void consider(int slot, Scores scores) {
        if (nodes.isKnown(slot) && refusal(slot) == null) {
            scores.consider(slot);
        }
    }

    /** Whether neither neighbours nor anything else but room decides between nodes. */
    public boolean onlyRoomCounts() {
        return volumes == null
                && devices == null
                && type.ports.isEmpty()
                && neighbours.isEmpty()
                && !state.hasNominations()
                && Scores.arePlain(state, type, neighbours);
    }

    /** Whether which nodes refuse the pod depends on nothing but the node and the room there. */
    public boolean onlyNodesCount() {
        return volumes == null
                && devices == null
                && (type.ports.isEmpty() || !rules.ports())
                && !neighbours.refuse()
                && !state.hasNominations();
    }

    private int nominatedSlot() {
        String node = state.nomination(pod.uid());
        Integer slot = node.isEmpty() ? null : nodes.find(node);
        return slot != null && nodes.isKnown(slot) ? slot : -1;
    }

    /** Why a node cannot take the pod, also when those have come that room is made for; null if it can. */
    @Nullable
    public Reason refusal(int slot) {
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
    public void look() {
        if (!neighbours.isEmpty() || !type.terms.isEmpty()) {
            neighbours = Neighbours.of(state, type);
        }
    }

    private @Nullable Reason refusalNow(int slot) {
        Reason first = refusalOfNode(slot);
        if (first != null) {
            return first;
        }
        return nodes.hasRoom(type, slot) ? refusalOfOthers(slot) : Reason.RESOURCES;
    }

    /** Why a node cannot take the pod however much room it has; null if it can. */
    public @Nullable Reason refusalBesidesRoom(int slot) {
        Reason first = refusalOfNode(slot);
        return first != null ? first : refusalOfOthers(slot);
    }

    private @Nullable Reason refusalOfNode(int slot) {
        Reason byNode = type.choice.refusal(nodes, slot, rules);
        if (byNode != null) {
            return byNode;
        }
        return rules.ports() && !type.ports.isEmpty() && portsTaken(slot) ? Reason.PORTS : null;
    }

    private @Nullable Reason refusalOfOthers(int slot) {
        Reason byVolume = volumes == null ? null : volumes.refusal(nodes.node(slot), nodes.pods(slot), rules);
        Reason byNeighbours = byVolume != null ? byVolume : neighbours.refusal(slot, rules);
        return byNeighbours != null || devices == null ? byNeighbours : devices.refusal(nodes.node(slot));
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
    public List<String> explain(int slot) {
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
    public boolean preemptionHelps(int slot) {
        Reason reason = refusal(slot);
        return reason != null
                && reason.preemptionHelps()
                && (reason != Reason.RESOURCES || nodes.couldHaveRoom(type, slot));
    }
}
