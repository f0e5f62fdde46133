package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.gang.Decision;
import lavaflow.gang.MemberSpec;
import lavaflow.gang.Snapshot;
import lavaflow.kube.Json;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.StorageCapacity;
import lavaflow.placement.Volume;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.VolumeClass;
import lavaflow.placement.Volumes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives pods their nodes: those of {@code default-scheduler} one by one, those of gangs together. Hears of changes, asks the cores, which
 * share one state, and has their decisions written.
 */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Before it is asked again whether a pod got its node. */
    private static final Duration DOUBT = Duration.ofSeconds(1);

    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    static final KubeApi.Kind CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);
    static final KubeApi.Kind NODE_DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csinodes", false);
    static final KubeApi.Kind DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csidrivers", false);
    static final KubeApi.Kind CAPACITIES = new KubeApi.Kind("storage.k8s.io", "v1", "csistoragecapacities", true);
    static final KubeApi.Kind BUDGETS = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);

    private final SchedulerCore core = new SchedulerCore();
    private final Inbox inbox = new Inbox();
    private final Followers followers;
    private final InstantSource clock;
    private final Writer writer;
    private final @Nullable Gangs gangs;
    private final @Nullable GangConfiguration configuration;
    private final GangVolumes gangVolumes = new GangVolumes(core.state());
    private volatile @Nullable Thread thread;
    private volatile boolean closed;
    /** Whether pods of the default scheduler are placed here. */
    private boolean single = true;

    /** Pods of which nobody knows whether they have their node, the one to ask about next first. */
    private final Deque<Doubt> doubts = new ArrayDeque<>();

    private final DeviceNews devices = new DeviceNews(core, inbox, this::awaited);

    private record Doubt(Action.Bind bind, Instant due) {}

    /** A pod as the API tells it, and whether it is to be placed with a gang. */
    private record Seen(ScheduledPod pod, @Nullable MemberSpec member) {}

    /**
     * Listens from now on; decides after {@link #start}.
     *
     * @param api writes as the scheduler
     * @param gangs null to leave the pods of gangs to somebody else
     */
    public Scheduler(KubeApi api, Followers followers, InstantSource clock, @Nullable GangSettings gangs) {
        this(api, followers, clock, Writer.Threads.many(), gangs);
    }

    /** One that does everything on the thread that calls {@link #step}, instead of being started. */
    public static Scheduler stepwise(
            KubeApi api, Followers followers, InstantSource clock, @Nullable GangSettings gangs) {
        return new Scheduler(api, followers, clock, Writer.Threads.callers(), gangs);
    }

    /** Leaves the pods of the default scheduler to the one that the cluster has; said before anything is heard of. */
    public Scheduler onlyGangs() {
        single = false;
        return this;
    }

    Scheduler(
            KubeApi api,
            Followers followers,
            InstantSource clock,
            Writer.Threads threads,
            @Nullable GangSettings gangs) {
        this.followers = followers;
        this.clock = clock;
        ClaimWriter deviceClaims = new ClaimWriter(api, clock, core.state(), devices);
        this.writer = new Writer(api, clock, threads, deviceClaims, new Writer.Troubles() {
            @Override
            public void bindingFailed(String uid) {
                inbox.add(now -> Scheduler.this.bindingFailed(uid, now));
            }

            @Override
            public void evictionFailed(String uid, boolean busy) {
                inbox.add(_ -> Scheduler.this.evictionFailed(uid, busy));
            }

            @Override
            public void bindingUnknown(Action.Bind bind) {
                inbox.add(now -> doubts.add(new Doubt(bind, now.plus(DOUBT))));
            }
        });
        this.gangs = gangs == null
                ? null
                : new Gangs(gangs, core.state(), followers, inbox, clock, threads, deviceClaims, this::bindMember);
        if (this.gangs != null) {
            core.askFor(this.gangs::strandedWithout);
        }
        this.configuration = gangs == null || this.gangs == null
                ? null
                : new GangConfiguration(gangs.api(), gangs.configuration(), this::configure, this.gangs.writer);
        follow(PODS, Inbox::uid, this::see, this::pod);
        follow(NODES, Inbox::name, NodeTable.Node::of, this::node);
        follow(NAMESPACES, Inbox::name, Scheduler::labels, this::namespace);
        follow(CLAIMS, Inbox::place, VolumeClaim::of, (place, claim, now) -> {
            core.state().volumes().putClaim(place, claim);
            volumes(now);
        });
        follow(VOLUMES, Inbox::name, Volume::of, (name, volume, now) -> {
            core.state().volumes().putVolume(name, volume);
            volumes(now);
        });
        follow(CLASSES, Inbox::name, VolumeClass::of, (name, type, now) -> {
            core.state().volumes().putClass(name, type);
            volumes(now);
        });
        follow(NODE_DRIVERS, Inbox::name, Scheduler::limits, (name, limits, now) -> {
            core.state().volumes().putLimits(name, limits);
            volumes(now);
        });
        follow(DRIVERS, Inbox::name, driver -> Json.flagAt(driver, "spec", "storageCapacity"), (name, tells, now) -> {
            core.state().volumes().putDriver(name, tells);
            volumes(now);
        });
        follow(CAPACITIES, Inbox::place, StorageCapacity::of, (place, capacity, now) -> {
            core.state().volumes().putCapacity(place, capacity);
            volumes(now);
        });
        DeviceKinds.follow(followers, inbox, core.state().devices(), devices);
        follow(BUDGETS, Inbox::place, DisruptionBudget::of, (place, budget, _) -> {
            core.state().putBudget(place, budget);
            touchGangs();
        });
        follow(
                SERVICES,
                Inbox::place,
                Scheduler::selector,
                (place, selector, _) -> core.state().crowds().putService(place, selector));
    }

    private <T> void follow(
            KubeApi.Kind kind, Function<ObjectNode, String> key, Function<ObjectNode, T> view, Inbox.Sink<T> sink) {
        followers.listen(kind, KubeApi.View.WHOLE, inbox.listener(key, view, sink));
    }

    private static ObjectNode labels(ObjectNode object) {
        ObjectNode labels = Json.objectAt(object, "metadata", "labels");
        return labels == null ? Json.object() : labels;
    }

    private static ObjectNode selector(ObjectNode service) {
        ObjectNode selector = Json.objectAt(service, "spec", "selector");
        return selector == null ? Json.object() : selector;
    }

    /** How many volumes of each driver a node can have, where it says so. */
    static Map<String, Long> limits(ObjectNode node) {
        Map<String, Long> limits = new HashMap<>();
        for (JsonNode driver : Json.listAt(node, "spec", "drivers")) {
            JsonNode count = Json.at(driver, "allocatable", "count");
            if (count != null) {
                limits.put(Json.textAt(driver, "name"), count.asLong());
            }
        }
        return limits;
    }

    private Seen see(ObjectNode pod) {
        MemberSpec member = gangs == null ? null : gangs.member(pod, single);
        return new Seen(member == null ? ScheduledPod.of(pod) : member.pod(), member);
    }

    private void pod(String uid, @Nullable Seen seen, Instant now) {
        PlacedPod before = core.state().findPlaced(uid);
        MemberSpec member = seen == null ? null : seen.member();
        boolean ofGang = gangs != null && (member != null || gangs.has(uid));
        if (gangs != null && ofGang) {
            if (member == null) {
                gangs.onPodGone(uid);
            } else {
                gangs.onPod(member, now);
            }
        } else if (seen == null) {
            core.onPodGone(uid, now);
        } else if (single || !seen.pod().waits()) {
            core.onPod(seen.pod(), now);
        }
        PlacedPod after = core.state().findPlaced(uid);
        if (Objects.equals(before, after)) {
            return;
        }
        if (!ofGang) {
            touchGangs();
            return;
        }
        if (after == null || after.pod().deleting()) {
            gangVolumes.forget(uid);
        }
        if (before != null) {
            core.roomGiven(before, now);
        }
        core.onPlaced(uid, now);
    }

    private void node(String name, NodeTable.@Nullable Node node, Instant now) {
        if (node == null) {
            core.onNodeGone(name, now);
            if (gangs != null) {
                gangs.onNodeGone(name);
            }
            return;
        }
        Integer slot = core.state().nodes().find(name);
        if (slot != null && core.state().nodes().node(slot).equals(node)) {
            // Heartbeats change nothing that matters here.
            return;
        }
        core.onNode(node, now);
        if (gangs != null) {
            gangs.onNode(node);
        }
    }

    private void namespace(String name, @Nullable ObjectNode labels, Instant now) {
        core.onNamespace(name, labels, now);
        touchGangs();
    }

    private void volumes(Instant now) {
        core.onVolumeChange(now);
        awaited(now);
    }

    /** Something has changed that pods may wait for which were given a node. */
    private void awaited(Instant now) {
        core.awaitedChanged(now).forEach(writer::write);
        if (gangs != null) {
            gangs.touch();
            gangVolumes.check(gangs.writer, gangs, gangs, now);
        }
    }

    private void touchGangs() {
        if (gangs != null) {
            gangs.touch();
        }
    }

    private void bindingFailed(String uid, Instant now) {
        if (gangs != null && gangs.has(uid)) {
            gangVolumes.forget(uid);
            gangs.bindingFailed(uid);
        } else {
            core.onBindingFailed(uid, now);
            touchGangs();
        }
    }

    private void evictionFailed(String uid, boolean busy) {
        if (gangs != null && gangs.has(uid)) {
            gangs.evictionFailed(uid, busy);
        }
    }

    private void bindMember(Decision.Bind bind, Instant now) {
        ScheduledPod pod = bind.member().spec().pod();
        core.onPlaced(pod.uid(), now);
        gangVolumes.forget(pod.uid());
        List<Volumes.Choice> choices = gangVolumes.choices(bind, now);
        if (choices == null) {
            bindingFailed(pod.uid(), now);
            return;
        }
        PlacedPod placed = core.state().findPlaced(pod.uid());
        boolean awaited = placed != null && core.state().devices().areAwaited(pod, placed.type());
        if (!choices.isEmpty()) {
            writer.write(new Action.ChooseVolumes(pod, bind.node(), choices));
        }
        if (gangs != null && awaited) {
            gangVolumes.await(bind, now);
            gangs.writer.prepare(pod, bind.node());
        } else if (gangs != null && choices.isEmpty()) {
            gangs.writer.bind(pod, bind.node(), bind.annotations());
        }
    }

    /** Follows another configuration of gangs from now on. */
    public void configure(Configuration configuration) {
        inbox.add(now -> {
            if (gangs != null) {
                gangs.configure(configuration, now);
            }
        });
    }

    /** Everything gangs are decided from, as of now; null where they are not decided here, or not yet. */
    public CompletableFuture<@Nullable Snapshot> snapshot() {
        CompletableFuture<@Nullable Snapshot> answer = new CompletableFuture<>();
        inbox.add(now -> {
            try {
                answer.complete(gangs == null ? null : gangs.snapshot(now));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** How much there is of everything, as of now; a thousandth of a second's work even for ten thousand nodes and gangs. */
    public CompletableFuture<ClusterTally> tally() {
        CompletableFuture<ClusterTally> answer = new CompletableFuture<>();
        inbox.add(_ -> {
            ClusterTally plain = ClusterTally.of(core.state(), core.waiting());
            answer.complete(gangs == null ? plain : gangs.addTo(plain));
        });
        return answer;
    }

    public void start() {
        if (configuration != null) {
            configuration.start();
        }
        thread = Thread.ofVirtual().name("scheduler").start(this::run);
    }

    private void run() {
        try {
            if (!followers.awaitSync()) {
                return;
            }
            while (!closed) {
                if (!step()) {
                    Inbox.Change change = await();
                    if (change != null) {
                        apply(change);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Inbox.@Nullable Change await() throws InterruptedException {
        Instant now = clock.instant();
        Doubt doubt = doubts.peek();
        Instant due = Gangs.earlier(core.nextDue(), doubt == null ? null : doubt.due());
        if (gangs != null) {
            due = Gangs.earlier(due, Gangs.earlier(gangs.nextDue(now), gangVolumes.nextDue()));
        }
        Duration patience = due == null || due.equals(Instant.MIN) ? null : Duration.between(now, due);
        return inbox.await(due == null ? null : patience == null ? Duration.ZERO : patience);
    }

    /** Takes in what happened and handles one pod, or all gangs, on the caller's thread; false if there was nothing to handle. */
    public boolean step() {
        boolean gangsReady = gangs != null && gangs.isReady();
        for (Inbox.Change change = inbox.poll(); change != null; change = inbox.poll()) {
            apply(change);
        }
        boolean some = false;
        try {
            Instant now = clock.instant();
            core.state().devices().at(now);
            core.overdue(now).forEach(writer::write);
            for (Doubt doubt = doubts.peek(); doubt != null && !doubt.due().isAfter(now); doubt = doubts.peek()) {
                doubts.remove();
                writer.findOut(doubt.bind());
            }
            some = gangs != null && gangsReady && stepGangs(gangs, now);
            core.state().takeStale().forEach(claim -> writer.write(new Action.DeleteClaim(claim)));
            List<Action> actions = core.next(now);
            // Of plain pods the claim is among the actions.
            core.state().devices().takeLost();
            if (actions == null) {
                return some;
            }
            withoutReservations(actions, now).forEach(writer::write);
            core.state().takeStale().forEach(claim -> writer.write(new Action.DeleteClaim(claim)));
        } catch (RuntimeException e) {
            // One pod must not keep all others from their nodes.
            LOG.error("a pod could not be scheduled", e);
        }
        return true;
    }

    /**
     * Tells gangs which of their pods have to go: they must not rely on those, nor give more than they can spare. Pods that room was only
     * reserved for need not go; without the reservation there is room.
     */
    private List<Action> withoutReservations(List<Action> actions, Instant now) {
        List<Action> left = new ArrayList<>(actions.size());
        for (Action action : actions) {
            String uid = action instanceof Action.Evict evict ? evict.victim().uid() : "";
            PlacedPod had = core.state().findPlaced(uid);
            if (gangs == null || !gangs.has(uid) || gangs.onTaken(uid)) {
                left.add(action);
            } else if (had != null) {
                core.roomGiven(had, now);
            }
        }
        return left;
    }

    private boolean stepGangs(Gangs gangs, Instant now) {
        Instant overdue = gangVolumes.nextDue();
        if (overdue != null && !overdue.isAfter(now)) {
            gangVolumes.check(gangs.writer, gangs, gangs, now);
        }
        boolean promised = gangs.hasPromises();
        boolean some = gangs.step(now);
        core.state().devices().takeLost().forEach(claim -> writer.write(new Action.Deallocate(claim)));
        if (promised && some) {
            core.onPromisesEnded(now);
        }
        // What was kept for a gang and is not any longer may help plain pods.
        gangs.takeFreed().forEach(gone -> core.roomGiven(gone, now));
        return some;
    }

    private void apply(Inbox.Change change) {
        try {
            change.apply(clock.instant());
        } catch (RuntimeException e) {
            LOG.error("a change could not be taken in", e);
        }
    }

    /** What is measured of gangs in Prometheus' text format, under Volcano's names. How they are is asked of the thread that knows. */
    public String metrics() {
        Gangs asked = gangs;
        if (asked == null) {
            return "";
        }
        String now = "";
        if (thread != null && !closed && followers.areSynced()) {
            CompletableFuture<String> told = new CompletableFuture<>();
            inbox.add(_ -> told.complete(asked.metrics()));
            try {
                now = told.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                LOG.debug("nobody tells how gangs are", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return asked.counted() + now;
    }

    /** The same, for the thread that decides. */
    String gangMetrics() {
        return gangs == null ? "" : gangs.counted() + gangs.metrics();
    }

    /** Lets what is being written end. */
    @Override
    public void close() {
        closed = true;
        if (configuration != null) {
            configuration.close();
        }
        inbox.add(_ -> {});
        Thread running = thread;
        try {
            if (running != null) {
                running.join(PATIENCE);
            }
            writer.close();
            if (gangs != null) {
                gangs.writer.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
