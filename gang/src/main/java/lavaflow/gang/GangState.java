package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/** Queues, gangs and their pods, as they are told of and as it was decided since. Belongs to one thread. */
final class GangState implements ClusterState.Listener {
    static final String PODS = "pods";

    /** Hears of pods that got or lost their room. */
    interface Listener {
        void roomTaken(Member member);

        void roomGiven(Member member);

        /** The same for pods of a gang that are alike, each on its node. */
        default void roomTaken(List<Member> alike) {
            alike.forEach(this::roomTaken);
        }

        default void roomGiven(List<Member> alike) {
            alike.forEach(this::roomGiven);
        }

        default void roomPromised(Member member) {}

        default void promiseEnded(Member member) {}
    }

    final ClusterState cluster;
    final Outlook outlook;
    final Surroundings surroundings = new Surroundings();
    final HyperNodes network;
    final KeptPlaces kept;
    private final Map<String, Queue> queues = new TreeMap<>();
    private final Map<String, Gang> gangs = new LinkedHashMap<>();
    /** All pods of gangs, by uid. */
    private final Map<String, Member> members = new HashMap<>();
    /** Of these, the ones that wait for others to go. */
    private final Set<Member> pipelined = new LinkedHashSet<>();
    /** Pods with room that was not given to them for good. */
    private final List<Member> reserved = new ArrayList<>();
    /** Pods whose PodGroup nobody has told of, by its key and their uid. */
    private final Map<String, Map<String, MemberSpec>> orphans = new HashMap<>();

    /** What nodes say about their processors, by name. */
    final Map<String, NumatopologySpec> numatopologies = new HashMap<>();
    /** Gangs that are to be put into lines. */
    private final List<Gang> unlined = new ArrayList<>();

    private final List<Line> left = new ArrayList<>();
    private long helps;
    private boolean deciding;

    /** Pods of groups that are gone, which were being bound and keep their place until it is known what became of that. */
    private final Set<String> given = new HashSet<>();

    /** Gangs that were tried or changed since they were told of. */
    private final Set<Gang> touched = new LinkedHashSet<>();

    private final Map<String, Integer> priorities = new HashMap<>();
    /** The class of those that name none; empty if there is none. */
    private String usualClass = "";

    private int usualPriority;
    private final Amounts total = Amounts.none();
    private final Map<String, Amounts> totals = new HashMap<>();
    private final Amounts used = Amounts.none();
    private Listener listener = new Listener() {
        @Override
        public void roomTaken(Member member) {}

        @Override
        public void roomGiven(Member member) {}
    };

    GangState(ClusterState cluster) {
        this.cluster = cluster;
        this.outlook = new Outlook(cluster.nodes());
        this.network = new HyperNodes(cluster.nodes());
        this.kept = new KeptPlaces(cluster.nodes(), outlook);
        cluster.listen(this);
    }

    void listen(Listener wanted) {
        listener = wanted;
    }

    // ---- nodes ----

    void putNode(NodeTable.Node node) {
        help();
        cluster.putNode(node);
        Amounts has = Amounts.of(node.allocatable(), cluster.columns());
        Amounts had = totals.put(node.name(), has);
        total.add(has);
        if (had != null) {
            total.subtract(had);
        }
    }

    void removeNode(String name) {
        help();
        kept.nodeGone(name);
        cluster.removeNode(name);
        Amounts had = totals.remove(name);
        if (had != null) {
            total.subtract(had);
        }
    }

    /** Something that matters for a node has changed. */
    void touch(String node) {
        help();
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

    /** All that nodes have. */
    Amounts total() {
        return total;
    }

    // ---- queues ----

    void putQueue(QueueSpec spec) {
        help();
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
            help();
            queue.gangs.forEach(gang -> {
                disturb(gang);
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
        disturb(gang);
        gang.queue = queue;
        queue.gangs.add(gang);
        queue.count(gang, 1);
        touch(gang);
    }

    private void leave(Gang gang) {
        disturb(gang);
        Queue queue = gang.queue;
        if (queue != null) {
            queue.count(gang, -1);
            queue.gangs.remove(gang);
            gang.queue = null;
        }
    }

    // ---- priorities ----

    void putPriority(String name, int value, boolean usual) {
        priorities.put(name, value);
        surroundings.putPriority(name, value);
        if (usual) {
            usualClass = name;
            usualPriority = value;
        } else if (name.equals(usualClass)) {
            usualClass = "";
            usualPriority = 0;
        }
        putInOrder();
    }

    void removePriority(String name) {
        priorities.remove(name);
        surroundings.removePriority(name);
        if (name.equals(usualClass)) {
            usualClass = "";
            usualPriority = 0;
        }
        putInOrder();
    }

    private void putInOrder() {
        help();
        gangs.values().forEach(this::disturb);
        gangs.values().forEach(gang -> gang.priority = priority(gang.spec));
    }

    /** The class of those that name none; empty if there is none. */
    String usualClass() {
        return usualClass;
    }

    private int priority(GroupSpec spec) {
        return priorities.getOrDefault(spec.priorityClass(), usualPriority);
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
            take(made, spec);
            Map<String, MemberSpec> waiting = orphans.remove(spec.key());
            if (waiting != null) {
                waiting.values().forEach(this::putMember);
            }
            return;
        }
        if (gang.spec.saysTheSame(spec) && GroupPhase.of(spec.phase()) == gang.phase) {
            // Mostly what was decided here, told back.
            gang.spec = spec;
            gang.toldPhase = gang.phase;
            return;
        }
        help();
        leave(gang);
        take(gang, spec);
    }

    private void take(Gang gang, GroupSpec spec) {
        disturb(gang);
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
        gang.priority = priority(spec);
        Map<String, Long> least = spec.minResources();
        gang.minResources(least == null ? Amounts.none() : Amounts.of(least, cluster.columns()));
        Queue queue = queues.get(spec.queue());
        if (queue != null) {
            join(gang, queue);
        }
        touch(gang);
    }

    void removeGroup(String key) {
        Gang gang = gangs.remove(key);
        if (gang == null) {
            return;
        }
        help();
        kept.end(gang);
        leave(gang);
        Map<String, MemberSpec> left = new LinkedHashMap<>();
        for (Member member : gang.members()) {
            members.remove(member.uid());
            withdraw(member);
            if (member.stage == Stage.BINDING) {
                given.add(member.uid());
            } else if (member.stage == Stage.ALLOCATED) {
                cluster.forget(member.uid());
            }
            cluster.release(member.type);
            left.put(member.uid(), member.spec);
        }
        if (!left.isEmpty()) {
            orphans.put(key, left);
        }
    }

    /** Pods whose PodGroup nobody has told of, where they are as far as it was decided. */
    List<MemberSpec> orphans() {
        List<MemberSpec> all = new ArrayList<>();
        orphans.values()
                .forEach(each -> each.values().forEach(spec -> {
                    PlacedPod placed = given.contains(spec.pod().uid())
                            ? cluster.findPlaced(spec.pod().uid())
                            : null;
                    all.add(
                            placed == null
                                    ? spec
                                    : spec.with(spec.pod().on(placed.pod().node())));
                }));
        return all;
    }

    Collection<Gang> gangs() {
        return Collections.unmodifiableCollection(gangs.values());
    }

    @Nullable
    Gang gang(String key) {
        return gangs.get(key);
    }

    @Nullable
    Member member(String uid) {
        return members.get(uid);
    }

    /** What is told of a gang may have to be told anew. */
    void touch(Gang gang) {
        touched.add(gang);
    }

    // ---- who waits where ----

    /** Changes with everything that could help somebody who waits: room that is given back, nodes, limits, turns. */
    long helps() {
        return helps;
    }

    void help() {
        if (!deciding) {
            helps++;
        }
    }

    /** While something is decided, room is taken and given back all the time. */
    void deciding(boolean now) {
        deciding = now;
    }

    /** Has to be called before anything changes that decides where a gang waits: it has to be found in its line. */
    void disturb(Gang gang) {
        Line line = gang.line;
        if (line != null) {
            line.gangs.remove(gang);
            gang.line = null;
            if (line.gangs.isEmpty()) {
                left.add(line);
            }
            if (!deciding && line.single) {
                line.failedAt = -1;
            }
        }
        if (!gang.unlined) {
            gang.unlined = true;
            unlined.add(gang);
        }
    }

    /** Gangs that have to be put into lines. */
    List<Gang> takeUnlined() {
        List<Gang> taken = List.copyOf(unlined);
        unlined.clear();
        taken.forEach(gang -> gang.unlined = false);
        return taken.stream().filter(gang -> gangs.get(gang.spec.key()) == gang).toList();
    }

    /** Lines that were left by all. */
    List<Line> takeLeft() {
        List<Line> taken = List.copyOf(left);
        left.clear();
        return taken;
    }

    /** Gangs of which something may have to be told. */
    List<Gang> takeTouched() {
        List<Gang> taken = new ArrayList<>(touched);
        touched.clear();
        taken.removeIf(gang -> gangs.get(gang.spec.key()) != gang);
        return taken;
    }

    void phase(Gang gang, GroupPhase phase) {
        disturb(gang);
        if (gang.phase != GroupPhase.PENDING || phase != GroupPhase.INQUEUE) {
            // What it was let in for may be free for others, also when this is decided here.
            helps++;
        }
        Queue queue = gang.queue;
        if (queue != null) {
            queue.count(gang, -1);
        }
        gang.phase = phase;
        if (queue != null) {
            queue.count(gang, 1);
        }
    }

    // ---- pods ----

    /** A pod as the API tells it; those without a PodGroup only take room. */
    void putPod(MemberSpec spec) {
        ScheduledPod pod = spec.pod();
        Member known = members.get(pod.uid());
        if (known != null && (isStillWaiting(known, spec) || isWaitingAsBefore(known, spec))) {
            known.spec = shared(spec, known.gang, known.type);
            return;
        }
        if (known == null && given.contains(pod.uid())) {
            if (spec.stage() == Stage.PENDING) {
                // Whether it has its node is told by the binding, or when it is seen there.
                forgetOrphan(pod.uid(), spec);
                orphans.computeIfAbsent(key(spec), _ -> new LinkedHashMap<>()).put(pod.uid(), spec);
                return;
            }
            given.remove(pod.uid());
        }
        PlacedPod had = known == null ? null : place(known);
        if (known != null) {
            drop(known);
        } else {
            forgetOrphan(pod.uid(), spec);
        }
        settle(pod);
        Member now = spec.group().isEmpty() ? null : putMember(spec);
        if (known != null && now != null) {
            now.evicted = known.evicted || known.isToldToGo();
        }
        if (known != null && had != null && spec.stage() == Stage.FAILED) {
            keepPlace(known, had);
        }
    }

    /** The room that a pod has and that another in its place will need; null if it has none, or had to give it back. */
    private @Nullable PlacedPod place(Member member) {
        boolean has = member.stage.canBeEvicted() || (member.stage == Stage.RELEASING && !member.isToldToGo());
        return has && member.spec.owned() && !member.evicted ? cluster.findPlaced(member.uid()) : null;
    }

    /** A pod has died: its room is kept if its gang ran and cannot do without it, and if nobody was to have it. */
    private void keepPlace(Member dead, PlacedPod had) {
        Gang gang = dead.gang;
        boolean ran = gang.phase == GroupPhase.RUNNING || gang.phase == GroupPhase.UNKNOWN || kept.has(gang);
        boolean counts = gang.queue != null && !gang.spec.deleting() && gangs.get(gang.spec.key()) == gang;
        // Other gangs were only promised what is left over.
        boolean awaited = cluster.isAwaited(had.pod().node(), uid -> !members.containsKey(uid));
        if (ran && counts && !awaited) {
            disturb(gang);
            kept.keep(gang, had, dead.slot);
        }
    }

    /** Lets a gang try to take what is kept for it, among other room. */
    boolean withKeptPlaces(Gang gang, BooleanSupplier attempt) {
        kept.lend(gang);
        boolean success = attempt.getAsBoolean();
        if (kept.takeBack(gang)) {
            helps++;
        }
        return success;
    }

    /** A pod that another core is giving its node. */
    void restore(MemberSpec binding) {
        ScheduledPod pod = binding.pod();
        cluster.place(pod);
        given.add(pod.uid());
        putMember(binding.with(pod.on("")));
    }

    /** Pods of groups that are gone which are being bound. */
    Set<String> given() {
        return given;
    }

    /** Keeps what another core kept. */
    void restore(Snapshot.Kept place) {
        Gang gang = gangs.get(place.group());
        Integer slot = cluster.nodes().find(place.was().node());
        if (gang != null && slot != null) {
            disturb(gang);
            PodClass type = cluster.retain(place.was().key());
            request(type);
            kept.restore(gang, new PlacedPod(place.was(), type), slot, place.until());
        }
    }

    /** Time goes by for what is kept. */
    void pass(Instant now, Duration most) {
        if (kept.pass(now, most)) {
            helps++;
            cluster.touch();
        }
    }

    /** Whether the API tells nothing of what was decided: then that still holds. */
    private static boolean isStillWaiting(Member known, MemberSpec spec) {
        boolean coming = known.stage == Stage.BINDING || known.stage == Stage.PIPELINED;
        boolean going = known.isToldToGo() && spec.stage().canBeEvicted();
        return (going || (coming && spec.stage() == Stage.PENDING))
                && spec.group().equals(known.spec.group())
                && spec.role().equals(known.spec.role())
                && spec.pod().key().equals(known.spec.pod().key());
    }

    /** Whether nothing is new of a pod that waits but what was written about it. */
    private static boolean isWaitingAsBefore(Member known, MemberSpec spec) {
        return known.stage == Stage.PENDING && known.spec.saysTheSame(spec);
    }

    private void settle(ScheduledPod pod) {
        if (!pod.occupies()) {
            cluster.forget(pod.uid());
            return;
        }
        PlacedPod before = cluster.findPlaced(pod.uid());
        boolean stays = before != null
                && before.pod().node().equals(pod.node())
                && before.pod().deleting() == pod.deleting()
                && before.pod().key().equals(pod.key());
        long known = helps;
        cluster.place(pod);
        if (stays) {
            // It had its room all the time.
            helps = known;
        }
    }

    @Override
    public void placed(PlacedPod pod, int slot) {
        used.add(request(pod.type()), 1);
        if (pod.pod().deleting()) {
            help();
            outlook.releases(pod.type(), slot);
        }
    }

    @Override
    public void gone(PlacedPod pod, int slot) {
        help();
        used.add(request(pod.type()), -1);
        if (pod.pod().deleting()) {
            outlook.releasesNoMore(pod.type(), slot);
        }
    }

    private @Nullable Member putMember(MemberSpec spec) {
        ScheduledPod pod = spec.pod();
        String key = key(spec);
        Gang gang = gangs.get(key);
        if (gang == null) {
            orphans.computeIfAbsent(key, _ -> new LinkedHashMap<>()).put(pod.uid(), spec);
            return null;
        }
        PodClass type = cluster.retain(pod.key());
        Member member = new Member(gang, shared(spec, gang, type), type, request(type));
        PlacedPod placed = given.remove(pod.uid()) ? cluster.findPlaced(pod.uid()) : null;
        String node = placed == null ? pod.node() : placed.pod().node();
        if (placed != null) {
            member.stage = Stage.BINDING;
        }
        member.slot = node.isEmpty() ? -1 : cluster.nodes().slot(node);
        members.put(pod.uid(), member);
        touch(gang);
        if (spec.gated()) {
            // Less is expected of its gang for now.
            help();
        }
        change(gang, () -> gang.add(member));
        if (member.stage.holdsRoom()) {
            listener.roomTaken(member);
        }
        return member;
    }

    /** The same, with what it has in common with others kept once. */
    private MemberSpec shared(MemberSpec spec, Gang gang, PodClass type) {
        PlacedPod placed = cluster.findPlaced(spec.pod().uid());
        boolean same = placed != null
                && placed.type() == type
                && placed.pod().node().equals(spec.pod().node())
                && placed.pod().revision().equals(spec.pod().revision());
        ScheduledPod pod = placed != null && same ? placed.pod() : spec.pod().of(type);
        Member peer = gang.peer();
        return spec.sharing(pod, gang.spec, peer == null ? null : peer.spec);
    }

    private static String key(MemberSpec spec) {
        return spec.pod().namespace() + "/" + spec.group();
    }

    private void forgetOrphan(String uid, MemberSpec spec) {
        String key = key(spec);
        Map<String, MemberSpec> waiting = orphans.get(key);
        if (waiting != null && waiting.remove(uid) != null && waiting.isEmpty()) {
            orphans.remove(key);
        }
    }

    void removePod(String uid) {
        given.remove(uid);
        Member member = members.get(uid);
        PlacedPod had = member == null ? null : place(member);
        if (member != null) {
            drop(member);
        } else {
            orphans.values().forEach(waiting -> waiting.remove(uid));
            orphans.values().removeIf(Map::isEmpty);
        }
        cluster.forget(uid);
        if (member != null && had != null) {
            keepPlace(member, had);
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
    private Amounts request(PodClass type) {
        if (type.kept instanceof Amounts known) {
            return known;
        }
        Amounts request = Amounts.of(type.requests);
        request.set(cluster.columns().place(PODS), 1);
        type.kept = request;
        return request;
    }

    private void drop(Member member) {
        members.remove(member.uid());
        withdraw(member);
        touch(member.gang);
        change(member.gang, () -> member.gang.remove(member));
        cluster.release(member.type);
    }

    /** Takes back what was only decided. */
    private void withdraw(Member member) {
        if (member.stage == Stage.PIPELINED) {
            help();
            cluster.endNomination(member.uid());
            pipelined.remove(member);
            listener.promiseEnded(member);
            outlook.promisesNoMore(member.type, member.slot);
        }
        if (member.isToldToGo()) {
            outlook.releasesNoMore(member.type, member.slot);
        }
        if (member.stage.holdsRoom()) {
            listener.roomGiven(member);
        }
    }

    private void change(Gang gang, Runnable change) {
        disturb(gang);
        Queue queue = gang.queue;
        if (queue != null) {
            queue.count(gang, -1);
        }
        change.run();
        if (queue != null) {
            queue.count(gang, 1);
        }
    }

    private void move(Member member, Stage stage) {
        move(List.of(member), stage);
    }

    /** Moves pods of a gang that are alike. */
    private void move(List<Member> alike, Stage stage) {
        Gang gang = alike.getFirst().gang;
        disturb(gang);
        Queue queue = gang.queue;
        if (queue == null) {
            gang.move(alike, stage);
        } else {
            queue.move(alike, stage);
        }
    }

    // ---- what is decided ----

    /** A waiting pod gets room that is there. */
    void allocate(Member member, int slot) {
        cluster.place(member.spec.pod().on(cluster.nodes().node(slot).name()), member.type, slot);
        member.slot = slot;
        move(member, Stage.ALLOCATED);
        listener.roomTaken(member);
    }

    void undoAllocate(Member member) {
        listener.roomGiven(member);
        move(member, Stage.PENDING);
        member.slot = -1;
        cluster.forget(member.uid());
    }

    /**
     * Gives waiting pods that are alike and lonely room that is there, as long as there is some; how many got it. Who is on the nodes is
     * only told when it is settled: until then the room is reserved for so many.
     *
     * @param best the next node with room; -1 if there is none
     */
    int allocate(List<Member> alike, IntSupplier best) {
        NodeTable nodes = cluster.nodes();
        int count = 0;
        while (count < alike.size()) {
            int slot = best.getAsInt();
            if (slot < 0) {
                break;
            }
            Member member = alike.get(count++);
            nodes.reserve(member.type, slot);
            member.slot = slot;
        }
        if (count > 0) {
            List<Member> placed = alike.subList(0, count);
            move(placed, Stage.ALLOCATED);
            listener.roomTaken(placed);
        }
        return count;
    }

    /** Tells who is on the nodes where room was reserved. */
    void settle(List<Member> alike) {
        NodeTable nodes = cluster.nodes();
        for (Member member : alike) {
            cluster.placeReserved(member.spec.pod().on(nodes.node(member.slot).name()), member.type, member.slot);
        }
    }

    /** Takes back what was not settled. */
    void undoReserved(List<Member> alike) {
        listener.roomGiven(alike);
        move(alike, Stage.PENDING);
        for (Member member : alike) {
            cluster.nodes().unreserve(member.type, member.slot);
            member.slot = -1;
        }
    }

    /** A waiting pod gets room that will be there. */
    void pipeline(Member member, int slot) {
        outlook.promises(member.type, slot);
        member.slot = slot;
        move(member, Stage.PIPELINED);
        listener.roomPromised(member);
        pipelined.add(member);
    }

    void undoPipeline(Member member) {
        pipelined.remove(member);
        listener.promiseEnded(member);
        move(member, Stage.PENDING);
        outlook.promisesNoMore(member.type, member.slot);
        member.slot = -1;
        member.made = false;
    }

    /** A pod has room that its gang cannot use before others have gone; nobody else gets it in this round. */
    void reserve(Member member) {
        reserved.add(member);
    }

    /** What was only promised is decided anew in every round: by now the room may be there, or another's turn. */
    void undoPromises() {
        if (!pipelined.isEmpty() || !reserved.isEmpty()) {
            // Who is not given it this time may have been what kept others from it.
            help();
        }
        for (Member member : List.copyOf(pipelined)) {
            cluster.endNomination(member.uid());
            if (member.made) {
                member.awaited = cluster.nodes().node(member.slot).name();
            }
            undoPipeline(member);
        }
        for (Member member : reserved) {
            if (member.stage == Stage.ALLOCATED && members.get(member.uid()) == member) {
                undoAllocate(member);
            }
        }
        reserved.clear();
    }

    boolean hasPromises() {
        return !pipelined.isEmpty();
    }

    /** Until the next round those who place other pods leave the room that was promised. */
    void tellPromises() {
        for (Member member : pipelined) {
            cluster.nominate(
                    member.spec.pod(), cluster.nodes().node(member.slot).name());
        }
    }

    /** A pod has to leave its node. */
    void evict(Member member) {
        listener.roomGiven(member);
        move(member, Stage.RELEASING);
        outlook.releases(member.type, member.slot);
        touch(member.gang);
    }

    void undoEvict(Member member, Stage before) {
        boolean has = member.stage.holdsRoom();
        outlook.releasesNoMore(member.type, member.slot);
        move(member, before);
        if (!has) {
            listener.roomTaken(member);
        }
        touch(member.gang);
    }

    /** A pod that has to leave its node may not yet: others wait for it, and it counts until then. */
    void linger(Member member) {
        move(member, Stage.LINGERING);
        listener.roomTaken(member);
        touch(member.gang);
    }

    /** The API did not accept a place of a pod whose group is gone. */
    void unbindOrphan(String uid) {
        if (given.remove(uid)) {
            cluster.forget(uid);
        }
    }

    /** The API did not accept a place. */
    void unbind(Member member) {
        undoAllocate(member);
        touch(member.gang);
    }

    /** A pod whose place is being told to the API. */
    void bind(Member member) {
        bind(List.of(member));
    }

    /** The same for pods of a gang that are alike. */
    void bind(List<Member> alike) {
        move(alike, Stage.BINDING);
        for (Member member : alike) {
            member.told = null;
        }
        touch(alike.getFirst().gang);
    }
}
