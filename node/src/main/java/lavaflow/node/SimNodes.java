package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Any number of nodes in this process that run nothing: they register, beat, and play the kubelet for their pods. */
public final class SimNodes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimNodes.class);
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final int WORKERS = 16;
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final Duration LONG_RETRY = Duration.ofSeconds(30);
    private static final int REGISTERING = 16;

    private final KubeApi reader;
    private final NodeAccess access;
    private final InstantSource clock;
    private final long seed;
    private final Map<String, NodeState> nodes = new LinkedHashMap<>();
    private final Map<String, PodRun> runs = new ConcurrentHashMap<>();
    /** The versions of pods that were written here last, by uid: hearing of them is no news. */
    private final Map<String, String> written = new ConcurrentHashMap<>();

    private final Heartbeats heartbeats;
    private final PodEvents events;
    private final ControllerRunner<PodKey> pods;
    private @Nullable Thread registering;
    private volatile boolean closed;

    /**
     * Listens from now on; does something after {@link #start}.
     *
     * @param reader sees pods and nodes
     * @param seed decides what is left to chance
     */
    public SimNodes(
            List<SimShape> shapes,
            KubeApi reader,
            NodeAccess access,
            Followers followers,
            InstantSource clock,
            LongSupplier nanoTime,
            long seed) {
        this.reader = reader;
        this.access = access;
        this.clock = clock;
        this.seed = seed;
        SimNode.all(shapes).forEach(node -> nodes.put(node.name(), new NodeState(node)));
        this.heartbeats = new Heartbeats(new ArrayList<>(nodes.values()), access, clock);
        this.events = new PodEvents(access.as(nodes.keySet().iterator().next()), clock);
        this.pods = new ControllerRunner<>("simulated-nodes", followers, WORKERS, this::reconcile, nanoTime);
        followers.listen(NODES, KubeApi.View.WHOLE, new NodeListener());
        followers.listen(PODS, KubeApi.View.WHOLE, new PodListener());
    }

    /** What happens to Nodes. */
    private final class NodeListener implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
            NodeState state = nodes.get(Json.textAt(object, "metadata", "name"));
            if (state == null || !NodeForm.isSimulated(object)) {
                return;
            }
            if (deleted) {
                state.vanish();
            } else if (state.update(object)) {
                pods.queue().add(healthOf(state));
                state.pods().forEach(pods.queue()::add);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            nodes.values().stream().filter(state -> !uids.contains(state.uid())).forEach(NodeState::vanish);
        }
    }

    /** What happens to pods of these nodes. */
    private final class PodListener implements ChangeListener {
        /** Keys by uid, for those that vanish unseen. */
        private final Map<String, PodKey> known = new LinkedHashMap<>();

        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode pod, boolean deleted) {
            NodeState state = nodes.get(Json.textAt(pod, "spec", "nodeName"));
            if (state == null) {
                return;
            }
            String uid = Json.textAt(pod, "metadata", "uid");
            PodKey key = new PodKey(
                    Json.textAt(pod, "metadata", "namespace"),
                    Json.textAt(pod, "metadata", "name"),
                    state.node().name());
            if (deleted) {
                known.remove(uid);
                forget(state, key, uid);
                return;
            }
            if (known.put(uid, key) == null) {
                state.add(key);
                state.keepAddress(pod, uid);
            }
            String version = Json.textAt(pod, "metadata", "resourceVersion");
            if (!version.equals(written.get(uid))) {
                pods.queue().add(key);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            known.entrySet().removeIf(entry -> {
                boolean gone = !uids.contains(entry.getKey());
                NodeState state = nodes.get(entry.getValue().node());
                if (gone && state != null) {
                    forget(state, entry.getValue(), entry.getKey());
                }
                return gone;
            });
            // Another pod of the same name may have come meanwhile.
            known.values().forEach(key -> {
                NodeState state = nodes.get(key.node());
                if (state != null) {
                    state.add(key);
                }
            });
        }
    }

    private void forget(NodeState state, PodKey key, String uid) {
        state.forget(key, uid);
        runs.remove(uid);
        written.remove(uid);
    }

    /** The turn of a node itself, in the same queue as its pods. */
    private static PodKey healthOf(NodeState state) {
        return new PodKey("", "", state.node().name());
    }

    /** Registers nodes in the background: a start does not wait for thousands of them. */
    public void start() {
        registering = Thread.ofVirtual().name("registering").start(() -> register(Fanout.parallel(REGISTERING)));
        // Those that came first must not be silent until the last one is there.
        heartbeats.start();
        pods.start();
    }

    /** Registers all nodes before it returns; for those who move everything along themselves, with {@link #step}. */
    public void register(Fanout fanout) {
        List<Runnable> tasks = new ArrayList<>();
        nodes.values().forEach(state -> tasks.add(() -> register(state)));
        fanout.run(tasks);
    }

    /** One turn on the caller's thread; false if nobody has one now. */
    public boolean step() {
        return pods.step();
    }

    /** One beat of every node that can be heard, on the caller's thread. */
    public void beat() {
        nodes.values().stream().filter(NodeState::isReachable).forEach(state -> heartbeats.beat(state, false));
    }

    private void register(NodeState state) {
        if (closed) {
            return;
        }
        SimNode node = state.node();
        KubeApi api = access.as(node.name());
        Instant now = clock.instant();
        try {
            ObjectNode made;
            try {
                made = api.create(NODES, "", NodeForm.node(node, now));
            } catch (ApiException e) {
                if (!e.reason().equals("AlreadyExists")) {
                    throw e;
                }
                made = takeOver(api, state, now);
            }
            if (state.update(made)) {
                pods.queue().add(healthOf(state));
            }
            if (state.isReachable()) {
                heartbeats.beat(state, false);
            }
        } catch (ApiException e) {
            LOG.warn("node {} could not register and tries again: {}", node.name(), e.getMessage());
            // Who has the name of a real node waits until that is gone.
            pods.queue().addAfter(healthOf(state), e.code() == 409 ? LONG_RETRY : RETRY);
        }
    }

    /** A node of an earlier run goes on; one that is real must not be touched. */
    private ObjectNode takeOver(KubeApi api, NodeState state, Instant now) {
        String name = state.node().name();
        ObjectNode present = reader.find(NODES, "", name).orElse(null);
        if (present != null && !NodeForm.isSimulated(present)) {
            throw ApiException.conflict("", "nodes", name, "a node of that name is there that is not simulated");
        }
        if (present != null) {
            // It goes on as it was told to behave. What the API has heard of it was somebody else's word.
            state.update(present);
            state.beginToTell();
            if (!state.isReachable()) {
                return present;
            }
        }
        NodeForm.Health health = state.health();
        ObjectNode patch = Json.object();
        patch.set("status", state.newStatus(health, now));
        ObjectNode answer = api.patch(NODES, "", name, "status", KubeApi.Merge.STRATEGIC, patch);
        state.tell(health);
        return answer;
    }

    private Optional<Duration> reconcile(PodKey key) {
        NodeState state = nodes.get(key.node());
        if (state != null && !state.hasJoined() && key.name().isEmpty()) {
            register(state);
            return Optional.empty();
        }
        if (state == null || !state.isReachable()) {
            // It hears of everything again once it is back.
            return Optional.empty();
        }
        if (key.name().isEmpty()) {
            NodeForm.Health health = state.health();
            if (!state.hasTold(health)) {
                state.beginToTell();
                heartbeats.writeHealth(state, true);
                heartbeats.beat(state, false);
                state.tell(health);
            }
            return Optional.empty();
        }
        ObjectNode pod = reader.find(PODS, key.namespace(), key.name()).orElse(null);
        if (pod == null || !Json.textAt(pod, "spec", "nodeName").equals(key.node())) {
            return Optional.empty();
        }
        return turn(key, state, pod);
    }

    private Optional<Duration> turn(PodKey key, NodeState state, ObjectNode object) {
        Instant now = clock.instant();
        SimPod pod = SimPod.of(object, state.node().shape().defaults(), state.slowdown());
        PodRun before = runs.get(pod.uid());
        PodRun run = before == null ? begin(state, object, pod, now) : before;
        boolean waits = state.mode() == NodeState.Mode.NOT_READY && !run.sandbox() && pod.deletedAt() == null;
        if (waits) {
            runs.put(pod.uid(), run);
            return Optional.empty();
        }
        PodSimulation.Next next = PodSimulation.advance(pod, run, now, seed);
        boolean over = PodSimulation.phase(pod, next.run()).isOver() || next.gone();
        write(state, object, pod, next, now);
        if (over) {
            // What is left to know is in the status.
            state.ended(pod.uid());
            runs.remove(pod.uid());
        } else {
            runs.put(pod.uid(), next.run());
        }
        if (next.gone()) {
            access.as(key.node())
                    .delete(
                            PODS,
                            key.namespace(),
                            key.name(),
                            KubeApi.Deletion.ofUid(pod.uid()).atOnce());
        }
        events.tell(object, pod, run, next.run());
        Instant wakeAt = next.wakeAt();
        return wakeAt == null
                ? Optional.empty()
                : Optional.of(
                        Duration.between(clock.instant(), wakeAt).isNegative()
                                ? Duration.ZERO
                                : Duration.between(clock.instant(), wakeAt));
    }

    /** How far a pod is that this process has not seen: as its status says, or at the beginning, if it is taken in. */
    private PodRun begin(NodeState state, ObjectNode object, SimPod pod, Instant now) {
        PodRun restored = PodRestoring.of(object, pod, now);
        if (restored != null) {
            if (!PodSimulation.phase(pod, restored).isOver()) {
                state.readmit(object);
            }
            return restored;
        }
        PodRun run = PodRun.begin(pod, now);
        if (pod.deletedAt() != null) {
            return run;
        }
        PodRun.End refusal = state.admit(object);
        return refusal == null ? run : run.ended(refusal.reason(), refusal.message());
    }

    private void write(NodeState state, ObjectNode object, SimPod pod, PodSimulation.Next next, Instant now) {
        String address = address(state, object, pod, next.run());
        ObjectNode status =
                PodStatusForm.render(object, pod, next.run(), state.node().address(), address, now);
        ObjectNode patch = PodStatusPatch.between(Json.objectAt(object, "status"), status);
        if (patch == null) {
            return;
        }
        ObjectNode body = Json.object();
        body.putObject("metadata").put("uid", pod.uid());
        body.set("status", patch);
        ObjectNode answer = access.as(state.node().name())
                .patch(PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, body);
        written.put(pod.uid(), Json.textAt(answer, "metadata", "resourceVersion"));
    }

    /** A pod that ended still tells the address it had, which another may have by now. */
    private static @Nullable String address(NodeState state, ObjectNode object, SimPod pod, PodRun run) {
        if (!run.sandbox()) {
            return null;
        }
        String had = Json.textAt(object, "status", "podIP");
        boolean over = PodSimulation.phase(pod, run).isOver();
        return over && !had.isEmpty() ? had : state.address(object, pod.uid());
    }

    /** How many nodes there are. */
    public int size() {
        return nodes.size();
    }

    @Override
    public void close() {
        closed = true;
        heartbeats.close();
        pods.close();
        events.close();
        Thread running = registering;
        if (running != null) {
            try {
                running.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
