package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives pods of {@code default-scheduler} their nodes: hears of changes, asks the core, has its decisions written. */
public final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind VOLUMES = KubeApi.Kind.clusterWide("persistentvolumes");
    static final KubeApi.Kind CLASSES = new KubeApi.Kind("storage.k8s.io", "v1", "storageclasses", false);
    static final KubeApi.Kind NODE_DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csinodes", false);
    static final KubeApi.Kind DRIVERS = new KubeApi.Kind("storage.k8s.io", "v1", "csidrivers", false);
    static final KubeApi.Kind CAPACITIES = new KubeApi.Kind("storage.k8s.io", "v1", "csistoragecapacities", true);
    static final KubeApi.Kind BUDGETS = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);

    /** Something for the thread that owns the state. */
    private interface Change {
        void apply(Instant now);
    }

    /** Takes in an object, or that it is gone: then there is no value. */
    private interface Sink<T> {
        void put(String key, @Nullable T value, Instant now);
    }

    /** Reads objects on the thread that hears of them and hands what matters to the one that owns the state. */
    private final class Listener<T> implements ChangeListener {
        private final Function<ObjectNode, String> key;
        private final Function<ObjectNode, T> view;
        private final Sink<T> sink;
        /** Keys by uid, for those that vanish unseen. */
        private final Map<String, String> known = new HashMap<>();

        Listener(Function<ObjectNode, String> key, Function<ObjectNode, T> view, Sink<T> sink) {
            this.key = key;
            this.view = view;
            this.sink = sink;
        }

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            String uid = uid(object);
            String place = key.apply(object);
            if (deleted) {
                known.remove(uid);
                inbox.add(now -> sink.put(place, null, now));
            } else {
                known.put(uid, place);
                T value = view.apply(object);
                inbox.add(now -> sink.put(place, value, now));
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            known.entrySet().removeIf(entry -> {
                boolean gone = !uids.contains(entry.getKey());
                if (gone) {
                    inbox.add(now -> sink.put(entry.getValue(), null, now));
                }
                return gone;
            });
        }
    }

    private final SchedulerCore core = new SchedulerCore();
    private final BlockingQueue<Change> inbox = new LinkedBlockingQueue<>();
    private final Followers followers;
    private final InstantSource clock;
    private final Writer writer;
    private @Nullable Thread thread;
    private volatile boolean closed;

    /**
     * Listens from now on; decides after {@link #start}.
     *
     * @param api writes as the scheduler
     */
    public Scheduler(KubeApi api, Followers followers, InstantSource clock) {
        this(api, followers, clock, Writer.Threads.many());
    }

    /** One that does everything on the thread that calls {@link #step}, instead of being started. */
    public static Scheduler stepwise(KubeApi api, Followers followers, InstantSource clock) {
        return new Scheduler(api, followers, clock, Writer.Threads.callers());
    }

    Scheduler(KubeApi api, Followers followers, InstantSource clock, Writer.Threads threads) {
        this.followers = followers;
        this.clock = clock;
        this.writer = new Writer(api, clock, threads, uid -> inbox.add(now -> core.onBindingFailed(uid, now)));
        follow(PODS, Scheduler::uid, ScheduledPod::of, this::pod);
        follow(NODES, Scheduler::name, NodeTable.Node::of, this::node);
        follow(NAMESPACES, Scheduler::name, Scheduler::labels, this::namespace);
        follow(CLAIMS, Scheduler::place, VolumeClaim::of, (place, claim, now) -> {
            core.state().volumes().putClaim(place, claim);
            volumes(now);
        });
        follow(VOLUMES, Scheduler::name, Volume::of, (name, volume, now) -> {
            core.state().volumes().putVolume(name, volume);
            volumes(now);
        });
        follow(CLASSES, Scheduler::name, VolumeClass::of, (name, type, now) -> {
            core.state().volumes().putClass(name, type);
            volumes(now);
        });
        follow(NODE_DRIVERS, Scheduler::name, Scheduler::limits, (name, limits, now) -> {
            core.state().volumes().putLimits(name, limits);
            volumes(now);
        });
        follow(
                DRIVERS,
                Scheduler::name,
                driver -> Json.flagAt(driver, "spec", "storageCapacity"),
                (name, tells, now) -> {
                    core.state().volumes().putDriver(name, tells);
                    volumes(now);
                });
        follow(CAPACITIES, Scheduler::place, StorageCapacity::of, (place, capacity, now) -> {
            core.state().volumes().putCapacity(place, capacity);
            volumes(now);
        });
        follow(
                BUDGETS,
                Scheduler::place,
                DisruptionBudget::of,
                (place, budget, _) -> core.state().putBudget(place, budget));
    }

    private <T> void follow(
            KubeApi.Kind kind, Function<ObjectNode, String> key, Function<ObjectNode, T> view, Sink<T> sink) {
        followers.listen(kind, KubeApi.View.WHOLE, new Listener<>(key, view, sink));
    }

    private static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    private static String name(ObjectNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    private static String place(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace") + "/" + name(object);
    }

    private static ObjectNode labels(ObjectNode object) {
        ObjectNode labels = Json.objectAt(object, "metadata", "labels");
        return labels == null ? Json.object() : labels;
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

    private void pod(String uid, @Nullable ScheduledPod pod, Instant now) {
        if (pod == null) {
            core.onPodGone(uid, now);
        } else {
            core.onPod(pod, now);
        }
    }

    private void node(String name, NodeTable.@Nullable Node node, Instant now) {
        if (node == null) {
            core.onNodeGone(name, now);
        } else {
            core.onNode(node, now);
        }
    }

    private void namespace(String name, @Nullable ObjectNode labels, Instant now) {
        core.onNamespace(name, labels, now);
    }

    private void volumes(Instant now) {
        core.onVolumeChange(now);
        core.volumesChanged(now).forEach(writer::write);
    }

    public void start() {
        thread = Thread.ofVirtual().name("scheduler").start(this::run);
    }

    private void run() {
        try {
            if (!followers.awaitSync()) {
                return;
            }
            while (!closed) {
                if (!step()) {
                    Change change = await();
                    if (change != null) {
                        apply(change);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Change await() throws InterruptedException {
        Instant due = core.nextDue();
        if (due == null) {
            return inbox.take();
        }
        long millis = due.equals(Instant.MIN)
                ? 0
                : Duration.between(clock.instant(), due).toMillis() + 1;
        return inbox.poll(Math.max(0, millis), TimeUnit.MILLISECONDS);
    }

    /** Takes in what happened and handles one pod on the caller's thread; false if there was none to handle. */
    public boolean step() {
        for (Change change = inbox.poll(); change != null; change = inbox.poll()) {
            apply(change);
        }
        try {
            core.overdue(clock.instant()).forEach(writer::write);
            List<Action> actions = core.next(clock.instant());
            if (actions == null) {
                return false;
            }
            actions.forEach(writer::write);
        } catch (RuntimeException e) {
            // One pod must not keep all others from their nodes.
            LOG.error("a pod could not be scheduled", e);
        }
        return true;
    }

    private void apply(Change change) {
        try {
            change.apply(clock.instant());
        } catch (RuntimeException e) {
            LOG.error("a change could not be taken in", e);
        }
    }

    /** Lets what is being written end. */
    @Override
    public void close() {
        closed = true;
        inbox.add(_ -> {});
        Thread running = thread;
        try {
            if (running != null) {
                running.join(PATIENCE);
            }
            writer.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
