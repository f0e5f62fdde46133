package lavaflow.kubelet;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.QueuedEvents;
import lavaflow.kube.Json;
import lavaflow.network.PodNetwork;
import lavaflow.node.NodeClaims;
import lavaflow.nodeserver.NodeView;
import lavaflow.sandbox.ContainerExit;
import lavaflow.sandbox.ContainerState;
import lavaflow.sandbox.SandboxException;
import lavaflow.sandbox.SandboxSpec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node: hears of its pods, takes them in or refuses them, and lets each live. What it knows can be found again: a new
 * process adopts what an old one left running.
 */
public final class Kubelet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Kubelet.class);
    private static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    private static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");

    /** An API that works is told an end within milliseconds; one that does not must not keep the node from ending. */
    private static final Duration LAST_WORD = Duration.ofSeconds(5);

    private final NodeSettings settings;
    private final KubeApi reader;
    private final KubeApi api;
    private final Followers followers;
    private final InstantSource clock;
    private final Mirror<ObjectNode> services;
    private final QueuedEvents queue;
    /** Pods of this node by uid, as last heard, until it works. */
    private final Map<String, ObjectNode> waiting = new LinkedHashMap<>();

    private final Map<String, PodLife> lives = new TreeMap<>();
    private final Timers timers = new Timers();
    private final Figures figures;
    private @Nullable Surroundings around;
    private @Nullable Registration registration;
    private volatile @Nullable Housekeeping housekeeping;
    private boolean closed;

    /**
     * Listens from now on; does something after {@link #start}.
     *
     * @param reader sees everything
     * @param api writes as the node
     */
    public Kubelet(NodeSettings settings, KubeApi reader, KubeApi api, Followers followers, InstantSource clock) {
        this.settings = settings;
        this.reader = reader;
        this.api = api;
        this.followers = followers;
        this.clock = clock;
        this.figures = new Figures(settings, clock);
        this.queue = new QueuedEvents(new EventRecorder(api, "kubelet", settings.name(), clock));
        this.services = new Mirror<>(followers, SERVICES, service -> service, _ -> List.of());
        followers.listen(Surroundings.PODS, KubeApi.View.WHOLE, new PodListener());
        followers.listen(Registration.NODES, KubeApi.View.WHOLE, new NodeListener());
    }

    private final class PodListener implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode pod, boolean deleted) {
            if (Json.textAt(pod, "spec", "nodeName").equals(settings.name())) {
                heard(pod, deleted);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            List<ObjectNode> gone = new ArrayList<>();
            synchronized (Kubelet.this) {
                waiting.keySet().retainAll(uids);
                lives.values().stream()
                        .filter(life -> !uids.contains(life.uid()))
                        .forEach(life -> gone.add(life.pod().object()));
            }
            gone.forEach(pod -> heard(pod, true));
        }
    }

    private final class NodeListener implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode node, boolean deleted) {
            Registration current = registration();
            if (current != null && Json.textAt(node, "metadata", "name").equals(settings.name())) {
                current.seen(node, deleted);
            }
        }

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            Registration current = registration();
            if (current != null) {
                current.relisted(uids);
            }
        }
    }

    private synchronized @Nullable Registration registration() {
        return registration;
    }

    /** The Node as the API has it; empty before it has registered. */
    public ObjectNode node() {
        Registration current = registration();
        return current == null ? Json.object() : current.node();
    }

    private void volumesChanged(String uid) {
        PodLife life;
        synchronized (this) {
            life = lives.get(uid);
        }
        if (life != null) {
            life.volumesChanged();
        }
    }

    private synchronized void heard(ObjectNode pod, boolean deleted) {
        String uid = Json.textAt(pod, "metadata", "uid");
        Surroundings working = around;
        PodLife life = lives.get(uid);
        if (working == null) {
            if (deleted) {
                waiting.remove(uid);
            } else {
                waiting.put(uid, pod);
            }
        } else if (deleted) {
            lives.remove(uid);
            if (life != null) {
                life.vanish();
            }
        } else if (life != null) {
            life.update(pod);
        } else if (!closed) {
            begin(working, pod);
        }
    }

    // ---- start ----

    /**
     * Adopts what runs, registers, and works from then on.
     *
     * @param podRange the addresses of this node's pods; empty where they have none of their own
     * @param port where the node's HTTP face is
     */
    public void start(NodeTools tools, String podRange, int port) throws IOException, InterruptedException {
        java.nio.file.Files.createDirectories(settings.directory());
        MachineInfo machine = MachineInfo.read(settings.directory());
        DeviceTable devices = DeviceTable.open(
                settings.directory().resolve("devices.json"),
                DeviceSettings.read(settings.deviceFile(), settings.devices()));
        PodEvents events = new PodEvents(queue);
        PodFiles files = new PodFiles(settings);
        Exits exits = new Exits(files);
        Registration made = new Registration(
                api,
                settings.name(),
                new NodeForm(
                        settings, machine, devices, tools.runtime().info(), tools.images()::entries, podRange, port),
                clock,
                () -> {
                    Housekeeping keeping = housekeeping;
                    return keeping == null ? NodeForm.Pressure.NONE : keeping.pressure();
                });
        Surroundings shared = new Surroundings(
                settings,
                tools,
                api,
                new ApiObjects(),
                services::all,
                made::node,
                events,
                new NodeClaims(),
                files,
                new ProbeWorkers(tools.runtime(), events, timers),
                exits,
                timers,
                devices,
                new PodDisk(tools, files),
                clock,
                machine.memoryBytes());
        tools.runtime().onExit(exits::ended);
        tools.volumes().onChange(this::volumesChanged);
        if (!followers.awaitSync()) {
            return;
        }
        synchronized (this) {
            registration = made;
        }
        made.beat();
        synchronized (this) {
            if (closed) {
                return;
            }
            adopt(shared);
            around = shared;
            waiting.values().stream()
                    .sorted(Comparator.comparing(pod -> Json.textAt(pod, "metadata", "creationTimestamp")))
                    .forEach(pod -> begin(shared, pod));
            waiting.clear();
        }
        Housekeeping keeping = new Housekeeping(shared, this::lives);
        housekeeping = keeping;
        timers.repeat(
                Housekeeping.ROUND,
                () -> Thread.ofVirtual().name("housekeeping").start(keeping));
        made.start(timers);
    }

    /** Objects that variables are taken from, as they are in the moment. */
    private final class ApiObjects implements Environment.Objects {
        @Override
        public Optional<ObjectNode> configMap(String namespace, String name) {
            return reader.find(CONFIG_MAPS, namespace, name);
        }

        @Override
        public Optional<ObjectNode> secret(String namespace, String name) {
            return reader.find(SECRETS, namespace, name);
        }
    }

    // ---- pods ----

    private void begin(Surroundings working, ObjectNode pod) {
        PodView view = new PodView(pod);
        if (lives.containsKey(view.uid())) {
            return;
        }
        PodLife life = new PodLife(working, pod);
        lives.put(view.uid(), life);
        if (!view.isOver() && !view.isDeleted()) {
            if (view.startTime() != null) {
                working.claims().readmit(pod);
                life.adopt(false, List.of(), Map.of());
            } else {
                takeIn(working, life, view);
            }
        } else {
            life.adopt(false, List.of(), Map.of());
        }
        life.wake();
    }

    private void takeIn(Surroundings working, PodLife life, PodView pod) {
        PodFacts.End refusal = NodeAdmission.refusal(working, pod);
        if (refusal != null) {
            working.events().warning(pod, refusal.reason(), refusal.message().replaceFirst("^Pod was rejected: ", ""));
            life.endFor(refusal, List.of());
            return;
        }
        life.accept(clock.instant());
    }

    // ---- adoption ----

    /** Takes over what an earlier process left, and clears away what nobody wants any more. */
    private void adopt(Surroundings working) {
        Map<String, List<ContainerState>> containers = new TreeMap<>();
        for (ContainerState state : working.tools().runtime().containers()) {
            containers.computeIfAbsent(state.sandbox(), _ -> new ArrayList<>()).add(state);
        }
        Map<String, PodNetwork.Attachment> places = working.tools().network().attached();
        Set<String> orphans = new java.util.TreeSet<>(places.keySet());
        orphans.addAll(working.tools().volumes().present());
        for (SandboxSpec sandbox : working.tools().runtime().sandboxes()) {
            ObjectNode pod = waiting.get(sandbox.id());
            PodNetwork.Attachment place = places.get(sandbox.id());
            if (pod == null) {
                orphans.add(sandbox.id());
                continue;
            }
            List<String> addresses = place == null
                    ? List.of(settings.address())
                    : place.addresses().stream()
                            .map(InetAddress::getHostAddress)
                            .toList();
            List<ContainerState> all = containers.remove(sandbox.id());
            adopt(working, pod, addresses, all == null ? List.of() : all);
        }
        containers.forEach((uid, ended) -> {
            ObjectNode pod = waiting.get(uid);
            if (pod == null) {
                orphans.add(uid);
            } else {
                adopt(working, pod, null, ended);
            }
        });
        orphans.removeAll(waiting.keySet());
        Set<String> known = new java.util.TreeSet<>(waiting.keySet());
        // What still runs needs its files a moment longer; the next start finds them without an owner.
        known.addAll(orphans);
        Leftovers.delete(settings, known);
        retainDevices(working);
        for (String uid : orphans) {
            LOG.info("pod {} is gone from the API; what is left of it goes, too", uid);
            Thread.ofVirtual().name("orphan " + uid).start(() -> PodPlace.isTakenAway(uid, working));
        }
    }

    /** Pods that ended while nobody looked have no devices any more. */
    private void retainDevices(Surroundings working) {
        Set<String> alive = new java.util.TreeSet<>();
        waiting.forEach((uid, pod) -> {
            if (!new PodView(pod).isOver()) {
                alive.add(uid);
            }
        });
        try {
            working.devices().retain(alive);
        } catch (IOException e) {
            LOG.warn("devices of pods that are gone are not free: {}", e.getMessage());
        }
    }

    /** @param addresses null if its place is gone, and only the ends of its containers are known */
    private void adopt(
            Surroundings working,
            ObjectNode object,
            @Nullable List<String> addresses,
            List<ContainerState> containers) {
        PodView pod = new PodView(object);
        PodLife life = new PodLife(working, object);
        lives.put(pod.uid(), life);
        Map<String, List<Attempt>> found = new LinkedHashMap<>();
        for (ContainerState state : containers) {
            PodView.Container container = pod.find(ContainerLabels.name(state));
            if (container == null || state.phase() == ContainerState.Phase.CREATED) {
                remove(working, state.id());
                continue;
            }
            Attempt attempt = ContainerLabels.attempt(state)
                    .runningAs(working.tools().runtime().user(state.id()).orElse(null));
            attempt = addresses == null ? attempt.elsewhere() : attempt;
            ContainerExit exit = state.exit();
            if (exit != null) {
                String message = working.exits().message(pod, container, attempt.number(), exit);
                attempt =
                        attempt.exited(new Attempt.Exit(exit.code(), ContainerLabels.reason(exit), message, exit.at()));
            } else {
                working.exits().expect(state.id(), life, container, attempt.number());
            }
            found.computeIfAbsent(container.name(), _ -> new ArrayList<>()).add(attempt);
        }
        found.values().forEach(each -> each.sort(Comparator.comparingInt(Attempt::number)));
        if (!pod.isOver()) {
            working.claims().readmit(object);
        }
        life.accept(clock.instant());
        life.adopt(addresses != null, addresses == null ? List.of() : addresses, found);
        if (addresses != null) {
            LOG.info("pod {} goes on", pod.title());
        }
        life.wake();
    }

    private static void remove(Surroundings working, String id) {
        try {
            working.tools().runtime().kill(id);
            working.tools().runtime().remove(id);
        } catch (SandboxException e) {
            LOG.warn("container {} not removed: {}", id, e.getMessage());
        }
    }

    // ---- others ----

    /** What others may see and do of this node's pods. */
    public NodeView view() {
        return new KubeletView(this);
    }

    synchronized List<PodLife> lives() {
        return List.copyOf(lives.values());
    }

    Figures figures() {
        return figures;
    }

    // ---- the end ----

    /**
     * Ends every container, with its grace but not longer than some time, and takes away the places of all pods, all at the
     * same time. The API keeps the pods: those that restart will do so with the next process.
     *
     * @param left hears how many pods have not ended yet
     */
    public void stopPods(Duration atMost, IntConsumer left) throws InterruptedException {
        List<PodLife> all;
        Surroundings working;
        synchronized (this) {
            // What is made in the place of pods that end now is for the next process.
            closed = true;
            all = lives();
            working = around;
        }
        Instant deadline = clock.instant().plus(atMost);
        all.forEach(PodLife::suspend);
        AtomicInteger running = new AtomicInteger(
                (int) all.stream().filter(life -> !life.isFinished()).count());
        left.accept(running.get());
        List<Thread> ends = new ArrayList<>();
        for (PodLife life : all) {
            boolean counts = !life.isFinished();
            ends.add(Thread.ofVirtual().name("end of pod " + life.uid()).start(() -> {
                end(life, deadline, working);
                if (counts) {
                    left.accept(running.decrementAndGet());
                }
            }));
        }
        for (Thread each : ends) {
            each.join();
        }
    }

    private static void end(PodLife life, Instant deadline, @Nullable Surroundings working) {
        try {
            boolean told = life.awaitRest(deadline) && (life.writer().awaitWritten(LAST_WORD) || life.isVanished());
            // What the API has not heard of is left to whoever takes all of the node away, and remembers it.
            if (told && working != null) {
                PodPlace.isTakenAway(life.uid(), working);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whoever waits for the end of pods waits no longer: their grace is over. */
    public void hurry() {
        lives().forEach(PodLife::hurry);
    }

    /** Lets go: pods run on, for the next process to adopt. */
    @Override
    public void close() {
        Registration beating;
        synchronized (this) {
            closed = true;
            beating = registration;
        }
        if (beating != null) {
            beating.close();
        }
        timers.close();
        queue.close();
    }
}
