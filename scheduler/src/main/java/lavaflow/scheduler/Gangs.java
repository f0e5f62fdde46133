package lavaflow.scheduler;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.GroupStatus;
import lavaflow.gang.HyperNodeSpec;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.NumatopologySpec;
import lavaflow.gang.Plugin;
import lavaflow.gang.QueueSpec;
import lavaflow.gang.Session;
import lavaflow.gang.Snapshot;
import lavaflow.gang.Surroundings;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.placement.ClusterState;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;
import lavaflow.plugins.Plugins;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler of gangs at its edge: what the API tells goes in, what is decided goes out. Belongs to the scheduler's thread. */
final class Gangs implements GangWriter.Troubles, GangNews.Sink, GangVolumes.Holdups {
    private static final Logger LOG = LoggerFactory.getLogger(Gangs.class);
    /** Before something is tried again that the API refused. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration SOON = Duration.ofMillis(50);

    /** Something to be done at a time. */
    private record Later(Instant due, long number, Runnable task) {}

    /** Hears of what a round decided. */
    interface Bindings {
        /** Gives a pod its node, once it has its volumes there. */
        void bind(Decision.Bind decision, Instant now);
    }

    private final GangCore core;
    private final Followers followers;
    private final Inbox inbox;
    private final InstantSource clock;
    final GangWriter writer;
    private final Bindings bindings;
    private final Set<String> schedulers;
    private final QueueStatuses queues;
    private final GangNews news = new GangNews(this);
    private final Spellings told;
    private final NodeMeasurements measurements;
    private final EvictionPauses evictions = new EvictionPauses();
    private final GangMetrics metrics = new GangMetrics(System::nanoTime);
    private final Columns columns;
    /** Pods that are ours to place, by uid. */
    private final Set<String> pods = new HashSet<>();

    private final PriorityQueue<Later> later =
            new PriorityQueue<>(Comparator.comparing(Later::due).thenComparingLong(Later::number));
    private long laterNumber;
    private boolean changed = true;
    private boolean seen;
    private final Rest rest = new Rest();
    private long round;

    Gangs(
            GangSettings settings,
            ClusterState cluster,
            Followers followers,
            Inbox inbox,
            InstantSource clock,
            Writer.Threads threads,
            ClaimWriter claims,
            Bindings bindings) {
        this.core = new GangCore(cluster, telling(Plugins.with(settings.plugins(), new HttpExtender())));
        this.told = new Spellings(core);
        this.followers = followers;
        this.inbox = inbox;
        this.clock = clock;
        this.schedulers = settings.schedulers();
        this.bindings = bindings;
        this.writer = new GangWriter(settings.api(), clock, threads, claims, metrics, this);
        core.watch(metrics);
        core.awaitOthers();
        this.columns = cluster.columns();
        this.queues = new QueueStatuses(cluster.columns(), writer);
        this.measurements = new NodeMeasurements(settings.api(), inbox, threads, cluster.nodes());
        follow();
    }

    /** A name that nobody knows may be a mistake, but keeps nothing else from working. */
    private static BiFunction<Configuration.Entry, Session, @Nullable Plugin> telling(
            BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        return (entry, session) -> {
            Plugin made = plugins.apply(entry, session);
            if (made == null) {
                LOG.warn("there is no plugin {}: it is left out", entry.name());
            }
            entry.arguments().complaints().forEach(LOG::warn);
            return made;
        };
    }

    // ---- what happens ----

    private void follow() {
        for (KubeApi.Kind kind : Spellings.GROUPS) {
            listen(kind, Inbox::place, object -> Spellings.Group.of(object, kind), (key, group, _) -> {
                changed = true;
                told.group(kind, key, group);
                if (told.find(key) == null) {
                    news.gone(key);
                }
            });
        }
        listen(GangKinds.QUEUES, Inbox::name, object -> object, this::queue);
        listen(GangKinds.OLD_QUEUES, Inbox::name, QueueSpec::of, (name, queue, _) -> {
            changed = true;
            told.oldQueue(name, queue);
        });
        listen(GangKinds.HYPER_NODES, Inbox::name, HyperNodeSpec::of, (name, part, _) -> {
            changed = true;
            if (part == null) {
                core.onHyperNodeGone(name);
            } else {
                core.onHyperNode(part);
            }
        });
        listen(GangKinds.TOPOLOGIES, Inbox::name, NumatopologySpec::of, (name, topology, _) -> {
            changed = true;
            if (topology == null) {
                core.onNumatopologyGone(name);
            } else {
                core.onNumatopology(topology);
            }
        });
        followers.listen(
                GangKinds.PRIORITIES,
                KubeApi.View.WHOLE,
                inbox.listener(Inbox::name, object -> object, this::priority));
        followers.listen(
                GangKinds.QUOTAS,
                KubeApi.View.WHOLE,
                inbox.listener(Inbox::place, Surroundings.Quota::of, this::quota));
    }

    private <T> void listen(
            KubeApi.Kind kind, Function<ObjectNode, String> key, Function<ObjectNode, T> view, Inbox.Sink<T> sink) {
        followers.listenWhileServed(kind, KubeApi.View.WHOLE, inbox.listener(key, view, sink));
    }

    private void queue(String name, @Nullable ObjectNode queue, Instant now) {
        changed = true;
        queues.told(name, queue);
        told.queue(name, queue == null ? null : QueueSpec.of(queue));
    }

    private void priority(String name, @Nullable ObjectNode type, Instant now) {
        changed = true;
        if (type == null) {
            core.onPriorityGone(name);
        } else {
            core.onPriority(name, (int) Json.longAt(type, 0, "value"), Json.flagAt(type, "globalDefault"));
        }
    }

    private void quota(String place, Surroundings.@Nullable Quota quota, Instant now) {
        changed = true;
        if (quota == null) {
            int slash = place.indexOf('/');
            core.surroundings().removeQuota(place.substring(0, slash), place.substring(slash + 1));
        } else {
            core.surroundings().put(quota);
        }
    }

    /**
     * A pod as we see it; null where it is not ours to place.
     *
     * @param plain whether pods of the default scheduler are placed here, which come in gangs only where Kubernetes' own field says so
     */
    @Nullable
    MemberSpec member(ObjectNode pod, boolean plain) {
        String scheduler = Json.textAt(pod, "spec", "schedulerName");
        if (schedulers.contains(scheduler)) {
            return MemberSpec.of(pod, schedulers);
        }
        boolean ofGang = plain && scheduler.equals(ScheduledPod.SCHEDULER) && NativeGroup.hasOne(pod);
        return ofGang ? MemberSpec.of(pod, Set.of(scheduler)) : null;
    }

    boolean has(String uid) {
        return pods.contains(uid);
    }

    void onPod(MemberSpec pod, Instant now) {
        changed = true;
        if (pods.add(pod.pod().uid())) {
            news.came(pod.pod().namespace() + "/" + pod.group(), now);
        }
        core.onPod(pod);
    }

    void onPodGone(String uid) {
        changed = true;
        pods.remove(uid);
        evictions.forget(uid);
        core.onPodGone(uid);
    }

    void onNode(NodeTable.Node node) {
        changed = true;
        core.onNode(node);
    }

    void onNodeGone(String name) {
        changed = true;
        core.onNodeGone(name);
    }

    /** Whether room that others have to leave is promised. */
    boolean hasPromises() {
        return core.hasPromises();
    }

    List<ScheduledPod> strandedWithout(Collection<String> going) {
        return core.strandedWithout(going);
    }

    /** A pod has to make room for one that is of no gang; false if it need not go for that. */
    boolean onTaken(String uid) {
        changed = true;
        return core.onTaken(uid);
    }

    /** Something changed that may help somebody. */
    void touch() {
        changed = true;
    }

    void configure(Configuration configuration, Instant now) {
        changed = true;
        try {
            core.configure(configuration);
            measurements.configure(configuration, now);
        } catch (MalformedException e) {
            LOG.warn("the scheduler keeps its configuration: {}", e.getMessage());
        }
    }

    /** Null before everything that was there at first has been told. */
    @Nullable
    Snapshot snapshot(Instant now) {
        return isReady() ? core.snapshot(now) : null;
    }

    // ---- what is decided ----

    /** Whether everything that was there at first has been told; ask before the inbox is emptied. */
    boolean isReady() {
        if (!seen) {
            seen = followers.hasSeen(GangKinds.GROUPS) && followers.hasSeen(GangKinds.QUEUES);
        }
        return seen;
    }

    /** Does what is due; false if nothing was. */
    boolean step(Instant now) {
        boolean some = news.tell(now);
        measurements.ask(now, () -> {
            changed = true;
            measurements.tell(core.surroundings());
        });
        for (Later next = later.peek(); next != null && !next.due().isAfter(now); next = later.peek()) {
            later.remove();
            next.task().run();
            some = true;
        }
        Instant again = core.nextChange();
        boolean due = changed || (again != null && !again.isAfter(now));
        if (due && !rest.until().isAfter(now)) {
            round(now);
            return true;
        }
        queues.write(core.queues(), now);
        return some;
    }

    /** Pods that died and whose room is not kept for their gangs any longer, each told once. */
    List<PlacedPod> takeFreed() {
        return core.takeFreed();
    }

    private void round(Instant now) {
        changed = false;
        round++;
        long began = metrics.time();
        List<Decision> decisions = new ArrayList<>(core.decide(now));
        metrics.round(began, decisions, now);
        if (!decisions.isEmpty()) {
            String id = id(now);
            decisions.forEach(decision -> perform(decision, id, now));
        }
        queues.touch();
        queues.write(core.queues(), now);
        rest.after(now, clock.instant());
    }

    /** By which what was found out together is told from the rest. */
    private String id(Instant now) {
        return UUID.nameUUIDFromBytes((now + "/" + round).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    private void perform(Decision decision, String id, Instant now) {
        switch (decision) {
            case Decision.Bind bind -> {
                news.placed(bind.member().gang(), bind.member().spec().pod().uid());
                bindings.bind(bind, now);
            }
            case Decision.Wait wait -> news.waits(wait, now);
            case Decision.Status(var gang, var status) -> news.status(gang, status, id, now);
            case Decision.Evict(var member, String why) -> {
                Spellings.Group group = told.find(member.gang().spec().key());
                KubeApi.Kind kind = group == null ? GangKinds.GROUPS : group.kind();
                writer.evict(
                        member.spec().pod(), GangWriter.reference(member.gang().spec(), kind), why);
            }
            case Decision.Refuse(var gang, String message) -> {
                Spellings.Group group = told.find(gang.spec().key());
                if (group != null) {
                    writer.refused(group.spec(), group.kind(), message);
                }
            }
        }
    }

    @Override
    public void waits(Decision.Wait wait) {
        writer.tell(wait.member().spec().pod(), wait.reason(), wait.message(), wait.node());
    }

    @Override
    public void status(Gang gang, GroupStatus status, String round) {
        Spellings.Group group = told.find(gang.spec().key());
        if (group != null && group.kind().equals(GangKinds.NATIVE_GROUPS)) {
            writer.nativeStatus(group.spec(), status, group.conditions(), group.generation());
        } else if (group != null && group.kind().equals(GangKinds.PLUGIN_GROUPS)) {
            writer.pluginStatus(group.spec(), status);
        } else if (group != null) {
            writer.status(group.spec(), group.kind(), status, group.conditions(), round);
        }
    }

    /** A gang has its places, and pods of it get no volumes there. */
    @Override
    public void heldUp(String key, String message) {
        Spellings.Group group = told.find(key);
        if (group != null
                && (group.kind().equals(GangKinds.GROUPS) || group.kind().equals(GangKinds.OLD_GROUPS))) {
            GroupStatus.Condition why = new GroupStatus.Condition("Unschedulable", "VolumesNotBound", message);
            writer.condition(group.spec(), group.kind(), why, group.conditions(), id(clock.instant()));
        }
    }

    /** When there is something to do although nothing happens; null if never. */
    @Nullable
    Instant nextDue(Instant now) {
        if (!seen) {
            return now.plus(SOON);
        }
        Instant due = changed ? rest.until() : core.nextChange();
        if (due != null && due.isBefore(rest.until())) {
            due = rest.until();
        }
        Later first = later.peek();
        due = earlier(due, first == null ? null : first.due());
        return earlier(earlier(due, news.nextDue()), earlier(measurements.nextDue(), queues.nextDue()));
    }

    static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.isBefore(other) ? one : other;
    }

    ClusterTally addTo(ClusterTally plain) {
        return plain.with(core.gangs(), core.queues());
    }

    /** How gangs and queues are, in Prometheus' text format. */
    String metrics() {
        return metrics.now(core, columns, columns.place("pods"));
    }

    /** What was counted, likewise; for any thread. */
    String counted() {
        return metrics.counted();
    }

    // ---- what could not be written ----

    private void after(Duration pause, Runnable task) {
        inbox.add(now -> at(now.plus(pause), task));
    }

    private void at(Instant time, Runnable task) {
        later.add(new Later(time, laterNumber++, () -> {
            changed = true;
            task.run();
        }));
    }

    /** Until it is tried again it keeps its place: the next attempt would meet the same refusal. */
    @Override
    public void bindingFailed(String uid) {
        inbox.add(now -> {
            changed = true;
            core.onBindingRefused(uid);
            at(now.plus(PAUSE), () -> core.onBindingFailed(uid));
        });
    }

    @Override
    public void gone(String uid) {
        inbox.add(_ -> {
            changed = true;
            core.onBindingRefused(uid);
        });
    }

    @Override
    public void bindingUnknown(ScheduledPod pod, String node) {
        after(PAUSE, () -> writer.findOut(pod, node));
    }

    @Override
    public void evictionFailed(String uid, boolean busy) {
        inbox.add(now -> {
            changed = true;
            core.onEvictionRefused(uid);
            at(now.plus(evictions.after(uid, busy)), () -> core.onEvictionFailed(uid));
        });
    }

    @Override
    public void statusFailed(String group) {
        after(PAUSE, () -> {
            news.forget(group);
            core.onStatusFailed(group);
        });
    }

    @Override
    public void waitFailed(String uid) {
        after(PAUSE, () -> core.onWaitFailed(uid));
    }

    @Override
    public void queueFailed(String queue) {
        after(PAUSE, () -> queues.forget(queue));
    }
}
