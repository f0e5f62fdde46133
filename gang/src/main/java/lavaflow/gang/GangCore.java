package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/**
 * Decides which gangs run, without reading clocks or writing anything. What it decided it takes for done until told otherwise. Belongs
 * to one thread.
 */
public final class GangCore {
    private final GangState state;
    private final BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins;
    private Session session;
    /** Whether something happened since the last round. */
    private boolean changed = true;
    /** The version of the cluster after the last round. */
    private long seen;

    /** Pods of no gang that were to come to nodes in the last round. */
    private List<PlacedPod> expected = List.of();

    private boolean thorough;
    private boolean awaiting;
    private Onlooker onlooker = Onlooker.NOBODY;

    /**
     * One with the usual configuration.
     *
     * @param cluster nodes and pods, which others may place pods in, too
     * @param plugins makes a plugin by its entry; null for one that does not exist
     */
    public GangCore(ClusterState cluster, BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        this.state = new GangState(cluster);
        this.plugins = plugins;
        this.session = new Session(state, Configuration.usual(), plugins);
    }

    /** Follows another configuration from now on. */
    public void configure(Configuration configuration) {
        session = new Session(state, configuration, plugins);
        if (thorough) {
            session.lines().lookAtAll();
        }
        state.changes.help();
        changed = true;
    }

    /** Where quotas and measurements are told. */
    public Surroundings surroundings() {
        // Whoever asks is going to change it.
        state.changes.help();
        changed = true;
        return state.surroundings;
    }

    /** When to decide again if nothing happens until then; null if that would change nothing. */
    public @Nullable Instant nextChange() {
        return changed ? session.now() : nextByTime();
    }

    private @Nullable Instant nextByTime() {
        return Plugin.Timed.first(session.nextChange(), Plugin.Timed.first(state.kept.next(), state.surplus.next()));
    }

    // ---- what happens ----

    public void onNode(NodeTable.Node node) {
        changed = true;
        state.putNode(node);
    }

    public void onNodeGone(String name) {
        changed = true;
        state.removeNode(name);
    }

    /** A part of the network. */
    public void onHyperNode(HyperNodeSpec part) {
        changed = true;
        state.changes.help();
        state.network.put(part);
    }

    public void onHyperNodeGone(String name) {
        changed = true;
        state.changes.help();
        state.network.remove(name);
    }

    /** What a node says about its processors. */
    public void onNumatopology(NumatopologySpec topology) {
        changed = true;
        state.changes.help();
        state.numatopologies.put(topology.node(), topology);
        state.touch(topology.node());
    }

    public void onNumatopologyGone(String node) {
        changed = true;
        state.changes.help();
        state.numatopologies.remove(node);
        state.touch(node);
    }

    public void onQueue(QueueSpec queue) {
        changed = true;
        state.putQueue(queue);
    }

    public void onQueueGone(String name) {
        changed = true;
        state.removeQueue(name);
    }

    /** A PriorityClass. */
    public void onPriority(String name, int value, boolean usual) {
        changed = true;
        state.putPriority(name, value, usual);
    }

    public void onPriorityGone(String name) {
        changed = true;
        state.removePriority(name);
    }

    public void onGroup(GroupSpec group) {
        changed = true;
        state.putGroup(group);
    }

    /** A PodGroup is gone, by namespace and name. */
    public void onGroupGone(String key) {
        changed = true;
        state.removeGroup(key);
    }

    public void onPod(MemberSpec pod) {
        changed = true;
        state.members.put(pod);
    }

    public void onPodGone(String uid) {
        changed = true;
        state.members.remove(uid);
    }

    /** A pod did not get the node that was chosen, which keeps its room for it until {@link #onBindingFailed}, or until it is told of. */
    public void onBindingRefused(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null && member.stage == Stage.BINDING) {
            state.placements.delay(member);
        }
    }

    /** A pod could not be given the node that was chosen, and any may be chosen now. */
    public void onBindingFailed(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null && member.isUnconfirmed()) {
            if (member.isToldToGo()) {
                state.placements.undoEvict(member, Stage.DELAYED);
            }
            state.changes.help();
            state.members.unbind(member);
        } else if (member == null) {
            state.members.unbindOrphan(uid);
        }
    }

    /**
     * A pod has to make room for one that is of no gang: its gang has to do without it from now on, before the API tells. False if it need
     * not go, because room was only reserved for it.
     */
    public boolean onTaken(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null && member.stage == Stage.ALLOCATED) {
            state.placements.unbind(member);
            return false;
        }
        if (member != null && member.stage.holdsRoom()) {
            state.placements.evict(member);
        }
        return true;
    }

    /** A pod that had to go was not allowed to, and is going to be told again. */
    public void onEvictionRefused(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null && member.isToldToGo() && member.stage == Stage.RELEASING) {
            state.placements.linger(member);
        }
    }

    /** A pod that had to go was not allowed to, and need not go unless that is decided again. */
    public void onEvictionFailed(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null && member.isToldToGo()) {
            state.changes.help();
            state.placements.undoEvict(member, member.isUnconfirmed() ? Stage.BINDING : member.spec.stage());
        }
    }

    /** The status of a PodGroup, by namespace and name, could not be written. */
    public void onStatusFailed(String key) {
        changed = true;
        Gang gang = state.gang(key);
        if (gang != null) {
            gang.status = null;
            state.changes.touch(gang);
        }
    }

    /** What was said of a waiting pod could not be written. */
    public void onWaitFailed(String uid) {
        changed = true;
        Member member = state.member(uid);
        if (member != null) {
            member.told = null;
            state.changes.touch(member.gang);
        }
    }

    // ---- what is decided ----

    /** Everything that can be decided as things are at a time; costs nothing if nothing has happened. */
    public List<Decision> decide(Instant now) {
        Instant next = nextByTime();
        if (next != null && !next.isAfter(now)) {
            changed = true;
            state.changes.help();
        }
        if (!changed && !thorough && state.cluster.version() == seen) {
            return List.of();
        }
        state.placements.undoPromises();
        List<PlacedPod> seated = state.cluster.seat();
        noticeWhoIsNotExpected(seated);
        try {
            return decideAll(now);
        } finally {
            state.cluster.rise(seated);
            state.placements.tellPromises();
            seen = state.cluster.version();
        }
    }

    /** Room that others made for a pod which does not come any longer may help somebody. */
    private void noticeWhoIsNotExpected(List<PlacedPod> now) {
        if (!expected.isEmpty()) {
            Set<PlacedPod> coming = Collections.newSetFromMap(new IdentityHashMap<>());
            coming.addAll(now);
            if (!coming.containsAll(expected)) {
                state.changes.help();
            }
        }
        expected = now;
    }

    private List<Decision> decideAll(Instant now) {
        state.pass(now, session.keepsPlaces());
        state.surplus
                .pass(now, awaiting ? session.awaitsOthers() : Duration.ZERO)
                .forEach(state.changes::touch);
        onlooker.during(Onlooker.Part.OPEN, "", () -> session.open(now, onlooker));
        state.changes.deciding(true);
        long helps = state.changes.helps();
        List<Decision> decisions = new ArrayList<>();
        for (String action : session.configuration.actions()) {
            session.lines().settle();
            onlooker.during(Onlooker.Part.ACTION, action, () -> act(action, decisions));
        }
        session.lines().settle();
        decisions.addAll(new Statuses(session).tell());
        session.close(onlooker);
        state.changes.deciding(false);
        changed = state.changes.helps() != helps || decisions.stream().anyMatch(GangCore::changesMore);
        return decisions;
    }

    private void act(String action, List<Decision> decisions) {
        switch (action) {
            case "enqueue" -> new Enqueue(session).run();
            case "allocate" -> decisions.addAll(new Allocate(session).run());
            case "backfill" -> decisions.addAll(new Backfill(session).run());
            case "preempt" -> evict(new Preempt(session).run(), decisions);
            case "reclaim" -> evict(new Reclaim(session).run(), decisions);
            case "shuffle" -> evict(new Shuffle(session).run(), decisions);
            case "gangpreempt" -> evict(new GangPreempt(session).run(), decisions);
            case "gangreclaim" -> evict(new GangReclaim(session).run(), decisions);
            default -> {}
        }
    }

    private void evict(List<Decision> evictions, List<Decision> decisions) {
        if (!evictions.isEmpty()) {
            decisions.addAll(evictions);
            state.changes.deciding(false);
            state.changes.help();
            state.changes.deciding(true);
        }
    }

    /** Whether another round may find more. */
    private static boolean changesMore(Decision decision) {
        return decision instanceof Decision.Bind || decision instanceof Decision.Evict;
    }

    /** Whether room that others have to leave is promised. */
    public boolean hasPromises() {
        return state.placements.hasPromises();
    }

    /**
     * Pods that would be left without as many others of their gang as it needs.
     *
     * @param going the uids of pods that have to go
     */
    public List<ScheduledPod> strandedWithout(Collection<String> going) {
        Map<Gang, List<Member>> byGang = new LinkedHashMap<>();
        for (String uid : going) {
            Member member = state.member(uid);
            if (member != null && member.stage.holdsRoom() && member.gang.isReady()) {
                byGang.computeIfAbsent(member.gang, _ -> new ArrayList<>()).add(member);
            }
        }
        List<ScheduledPod> stranded = new ArrayList<>();
        byGang.forEach((gang, taken) -> {
            if (!gang.canSpare(taken)) {
                gang.members().stream()
                        .filter(each -> each.stage.holdsRoom() && !taken.contains(each))
                        .forEach(each -> stranded.add(each.spec.pod()));
            }
        });
        return stranded;
    }

    /** Looks at every gang in every round from now on, whatever happened: what all shortcuts have to agree with. */
    public void lookAtAll() {
        thorough = true;
        session.lines().lookAtAll();
    }

    /** Lets what gangs can begin without wait a moment for others that are coming: see {@link Surplus}. Without it everything is decided at once. */
    public void awaitOthers() {
        awaiting = true;
    }

    /** Who looks at rounds from now on. */
    public void watch(Onlooker watching) {
        onlooker = watching;
    }

    /** What a queue should have as of the last round; null if no plugin works it out. */
    public Plugin.@Nullable Share share(Queue queue) {
        return session.votes.share(queue);
    }

    /** Whether a queue had all it should have when gangs were placed last. */
    public boolean isOverused(Queue queue) {
        return queue.overused;
    }

    /** What a gang has, as a part of all that nodes have: of what it has the largest part of. */
    public double share(Gang gang) {
        return gang.allocated().shareOf(state.total());
    }

    /** A gang by the namespace and name of its PodGroup, with what keeps it waiting; null if there is none. */
    public @Nullable Gang findGang(String key) {
        return state.gang(key);
    }

    public Collection<Gang> gangs() {
        return state.gangs();
    }

    /** Pods that died and whose room was kept, and is not any longer, each told once: by now others may have it. */
    public List<PlacedPod> takeFreed() {
        return state.kept.takeEnded();
    }

    /** A pod that the one this is a copy of is giving its node. */
    void restore(MemberSpec binding) {
        state.members.restore(binding);
    }

    /** Keeps room that the one this is a copy of kept. */
    void restore(Snapshot.Kept place) {
        state.restore(place);
    }

    /** Everything this decides from, for trying things elsewhere. */
    public Snapshot snapshot(Instant now) {
        return Snapshot.of(state, session.configuration, now);
    }

    /** Asks something about how things are at a time, which must change nothing; on a core of one's own, since it takes promises back. */
    public <T> T inquire(Instant now, Function<Inquiry, T> question) {
        state.placements.undoPromises();
        session.open(now, onlooker);
        session.lines().settle();
        state.changes.deciding(true);
        try {
            return question.apply(new Inquiry(session));
        } finally {
            state.changes.deciding(false);
            session.close(onlooker);
            changed = true;
        }
    }

    public Collection<Queue> queues() {
        return state.queues();
    }
}
