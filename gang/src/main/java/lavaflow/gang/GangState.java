package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/** Queues and gangs as they are told of, with their {@link Members pods} and what was {@link Placements decided} since. Belongs to one thread. */
final class GangState implements ClusterState.Listener {
    static final String PODS = "pods";

    final ClusterState cluster;
    final Outlook outlook;
    final Surroundings surroundings = new Surroundings();
    final HyperNodes network;
    final KeptPlaces kept;
    final Surplus surplus = new Surplus();
    private final Map<String, Queue> queues = new TreeMap<>();
    private final Map<String, Gang> gangs = new LinkedHashMap<>();
    final Changes changes = new Changes(gang -> gangs.get(gang.spec.key()) == gang);
    final Placements placements;
    final Members members;

    /** What nodes say about their processors, by name. */
    final Map<String, NumatopologySpec> numatopologies = new HashMap<>();

    private final Priorities priorities = new Priorities();
    private final Amounts total = Amounts.none();
    private final Map<String, Amounts> totals = new HashMap<>();
    /** Of these, what devices stand for. */
    private Map<String, Long> devices = Map.of();

    private final Amounts used = Amounts.none();

    GangState(ClusterState cluster) {
        this.cluster = cluster;
        this.outlook = new Outlook(cluster.nodes());
        this.network = new HyperNodes(cluster.nodes());
        this.kept = new KeptPlaces(cluster.nodes(), outlook);
        this.placements = new Placements(cluster, outlook, changes, this::isKnown);
        this.members = new Members(this);
        cluster.listen(this);
    }

    // ---- nodes ----

    void putNode(NodeTable.Node node) {
        changes.help();
        cluster.putNode(node);
        Amounts has = Amounts.of(node.allocatable(), cluster.columns());
        Amounts had = totals.put(node.name(), has);
        total.add(has);
        if (had != null) {
            total.subtract(had);
        }
    }

    void removeNode(String name) {
        changes.help();
        kept.nodeGone(name);
        cluster.removeNode(name);
        Amounts had = totals.remove(name);
        if (had != null) {
            total.subtract(had);
        }
    }

    /** Something that matters for a node has changed. */
    void touch(String node) {
        changes.help();
        Integer slot = cluster.nodes().find(node);
        if (slot != null) {
            cluster.nodes().touch(slot);
        }
        cluster.touch();
    }

    /** All that pods have. */
    Amounts used() {
        return used;
    }

    /** All that nodes have, with the devices behind resources that none of them has itself. */
    Amounts total() {
        Map<String, Long> now = cluster.devices().supply();
        if (!now.equals(devices)) {
            total.subtract(Amounts.of(devices, cluster.columns()));
            total.add(Amounts.of(now, cluster.columns()));
            devices = now;
        }
        return total;
    }

    @Override
    public void placed(PlacedPod pod, int slot) {
        used.add(request(pod.type()), 1);
        if (pod.pod().deleting()) {
            changes.help();
            outlook.releases(pod.type(), slot);
        }
    }

    @Override
    public void gone(PlacedPod pod, int slot) {
        changes.help();
        used.add(request(pod.type()), -1);
        if (pod.pod().deleting()) {
            outlook.releasesNoMore(pod.type(), slot);
        }
    }

    /** What a pod asks for. */
    Amounts requestOf(ScheduledPod pod) {
        PodClass type = cluster.retain(pod.key());
        Amounts request = request(type);
        cluster.release(type);
        return request;
    }

    /** What pods of a class ask for, the same for all of them; not to be changed. */
    Amounts request(PodClass type) {
        if (type.kept instanceof Amounts known) {
            return known;
        }
        Amounts request = Amounts.of(type.requests);
        request.set(cluster.columns().place(PODS), 1);
        type.kept = request;
        return request;
    }

    // ---- queues ----

    void putQueue(QueueSpec spec) {
        changes.help();
        Queue queue = queues.get(spec.name());
        if (queue != null) {
            queue.take(spec, cluster.columns());
            return;
        }
        Queue made = new Queue(spec, cluster.columns());
        queues.put(spec.name(), made);
        gangs.values().stream()
                .filter(gang -> gang.spec.queue().equals(spec.name()))
                .forEach(gang -> join(gang, made));
    }

    void removeQueue(String name) {
        Queue queue = queues.remove(name);
        if (queue != null) {
            changes.help();
            queue.gangs.forEach(gang -> {
                changes.disturb(gang);
                gang.queue = null;
            });
        }
    }

    Collection<Queue> queues() {
        return Collections.unmodifiableCollection(queues.values());
    }

    @Nullable
    Queue queue(String name) {
        return queues.get(name);
    }

    private void join(Gang gang, Queue queue) {
        changes.disturb(gang);
        gang.queue = queue;
        queue.gangs.add(gang);
        queue.count(gang, 1);
        changes.touch(gang);
    }

    private void leave(Gang gang) {
        changes.disturb(gang);
        Queue queue = gang.queue;
        if (queue != null) {
            queue.count(gang, -1);
            queue.gangs.remove(gang);
            gang.queue = null;
        }
    }

    // ---- priorities ----

    void putPriority(String name, int value, boolean usual) {
        priorities.put(name, value, usual);
        surroundings.putPriority(name, value);
        putInOrder();
    }

    void removePriority(String name) {
        priorities.remove(name);
        surroundings.removePriority(name);
        putInOrder();
    }

    private void putInOrder() {
        changes.help();
        gangs.values().forEach(changes::disturb);
        gangs.values().forEach(gang -> gang.priority = priorities.of(gang.spec));
    }

    /** The class of those that name none; empty if there is none. */
    String usualClass() {
        return priorities.usualClass();
    }

    // ---- gangs ----

    void putGroup(GroupSpec spec) {
        Gang gang = gangs.get(spec.key());
        if (gang != null && !gang.spec.uid().equals(spec.uid())) {
            removeGroup(spec.key());
            gang = null;
        }
        if (gang == null) {
            Gang made = new Gang(spec);
            gangs.put(spec.key(), made);
            if (made.phase == GroupPhase.PENDING) {
                surplus.came(made);
            }
            take(made, spec);
            members.adopt(spec.key());
            return;
        }
        if (gang.spec.saysTheSame(spec) && GroupPhase.of(spec.phase()) == gang.phase) {
            // Mostly what was decided here, told back.
            gang.spec = spec;
            gang.toldPhase = gang.phase;
            return;
        }
        changes.help();
        leave(gang);
        take(gang, spec);
    }

    private void take(Gang gang, GroupSpec spec) {
        changes.disturb(gang);
        if (spec.deleting()) {
            kept.end(gang);
        }
        gang.spec = spec;
        gang.parts = null;
        GroupPhase told = GroupPhase.of(spec.phase());
        if (told != gang.toldPhase) {
            gang.toldPhase = told;
            if (told != gang.phase) {
                // Somebody else wrote it: ours has to be told again.
                gang.status = null;
            }
            gang.phase = told;
        }
        gang.priority = priorities.of(spec);
        Map<String, Long> least = spec.minResources();
        gang.minResources(least == null ? Amounts.none() : Amounts.of(least, cluster.columns()));
        Queue queue = queues.get(spec.queue());
        if (queue != null) {
            join(gang, queue);
        }
        changes.touch(gang);
    }

    void removeGroup(String key) {
        Gang gang = gangs.remove(key);
        if (gang == null) {
            return;
        }
        changes.help();
        kept.end(gang);
        surplus.gone(gang);
        leave(gang);
        members.abandon(gang);
    }

    Collection<Gang> gangs() {
        return Collections.unmodifiableCollection(gangs.values());
    }

    @Nullable
    Gang gang(String key) {
        return gangs.get(key);
    }

    void phase(Gang gang, GroupPhase phase) {
        if (gang.phase != GroupPhase.PENDING || phase != GroupPhase.INQUEUE) {
            // What it was let in for may be free for others, also when this is decided here.
            changes.helpAlways();
        }
        changes.count(gang, () -> gang.phase = phase);
    }

    // ---- pods ----

    /** A pod of a gang by uid; null for others. */
    @Nullable
    Member member(String uid) {
        return members.find(uid);
    }

    private boolean isKnown(Member member) {
        return members.find(member.uid()) == member;
    }

    // ---- what is kept for pods that died ----

    /** Lets a gang try to take what is kept for it, among other room. */
    boolean withKeptPlaces(Gang gang, BooleanSupplier attempt) {
        kept.lend(gang);
        boolean success = attempt.getAsBoolean();
        if (kept.takeBack(gang)) {
            changes.helpAlways();
        }
        return success;
    }

    /** Keeps what another core kept. */
    void restore(Snapshot.Kept place) {
        Gang gang = gangs.get(place.group());
        Integer slot = cluster.nodes().find(place.was().node());
        if (gang != null && slot != null) {
            changes.disturb(gang);
            PodClass type = cluster.retain(place.was().key());
            request(type);
            kept.restore(gang, new PlacedPod(place.was(), type), slot, place.until());
        }
    }

    /** Time goes by for what is kept. */
    void pass(Instant now, Duration most) {
        if (kept.pass(now, most)) {
            changes.helpAlways();
            cluster.touch();
        }
    }
}
