package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

import lavaflow.placement.Attempt;
import lavaflow.placement.ClusterState;
import lavaflow.placement.DeviceClaim;
import lavaflow.placement.DeviceNeeds;
import lavaflow.placement.Devices;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.Reason;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.VolumeClaim;
import lavaflow.placement.Volumes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Decides, pod by pod, without reading clocks or writing anything. What it decided it takes for done until told otherwise.
 * Belongs to one thread.
 */
final class SchedulerCore {
    /** How long volumes may take to be made. */
    static final Duration VOLUME_PATIENCE = Duration.ofMinutes(10);

    private static final Set<Reason> OF_NEIGHBOURS = EnumSet.of(
            Reason.SPREAD,
            Reason.SPREAD_LABEL,
            Reason.POD_AFFINITY,
            Reason.POD_ANTI_AFFINITY,
            Reason.EXISTING_ANTI_AFFINITY);

    /** A pod that was given a node and has not been seen there. */
    private record Assumed(ScheduledPod pod, String node, Instant since, List<VolumeClaim> claims) {}

    /** An answer that holds for all pods of a class as long as nothing changes. */
    private record Failure(long version, int priority, boolean preempts, String message, Set<Reason> reasons) {
        boolean holdsFor(ScheduledPod pod, long now) {
            return version == now && priority == pod.priority() && preempts == pod.preempts();
        }
    }

    private final ClusterState state = new ClusterState();
    private final PodQueue queue = new PodQueue();
    private final Map<String, Assumed> assumed = new HashMap<>();
    /** Of these, the ones that wait for volumes or devices. */
    private final Map<String, Assumed> awaiting = new LinkedHashMap<>();

    private final Map<PodClass, Failure> failures = new HashMap<>();

    private Preemption.Company company = _ -> List.of();

    ClusterState state() {
        return state;
    }

    /** How many pods wait for a node, of those that come one by one. */
    int waiting() {
        return queue.size();
    }

    /** Has those go with others who are of no use without them. */
    void askFor(Preemption.Company company) {
        this.company = company;
    }

    // ---- what happens ----

    void onPod(ScheduledPod pod, Instant now) {
        Assumed given = assumed.get(pod.uid());
        if (given != null && pod.node().isEmpty()) {
            // Whether the node was accepted is told by the binding.
            if (awaiting.containsKey(pod.uid())) {
                // It says by now where it is expected, which has to be taken back if nothing comes of it.
                Assumed seen = new Assumed(pod, given.node(), given.since(), given.claims());
                assumed.put(pod.uid(), seen);
                awaiting.put(pod.uid(), seen);
            }
            return;
        }
        unassume(pod.uid());
        if (pod.waits()) {
            waiting(pod, now);
            return;
        }
        leaveQueue(pod.uid());
        if (pod.occupies()) {
            occupied(pod, now);
        } else {
            freed(pod.uid(), now);
        }
    }

    private void waiting(ScheduledPod pod, Instant now) {
        PodQueue.Entry entry = queue.find(pod.uid());
        boolean same = entry != null
                && entry.pod().priority() == pod.priority()
                && entry.pod().key().equals(pod.key());
        if (same) {
            queue.refresh(pod);
            return;
        }
        leaveQueue(pod.uid());
        queue.add(pod, state.retain(pod.key()), now);
        state.nominate(pod, pod.nominated());
    }

    private void occupied(ScheduledPod pod, Instant now) {
        PlacedPod before = state.findPlaced(pod.uid());
        boolean same = before != null
                && before.pod().node().equals(pod.node())
                && before.pod().deleting() == pod.deleting()
                && before.pod().priority() == pod.priority()
                && Objects.equals(before.pod().started(), pod.started())
                && before.pod().key().equals(pod.key());
        if (!same) {
            state.place(pod);
            neighboursChanged(pod.uid(), now);
            Integer slot = before == null ? null : state.nodes().find(pod.node());
            if (slot != null && queue.hasParked()) {
                // It may need less than before.
                queue.wake((type, reasons) -> reasons.contains(Reason.RESOURCES) && couldTake(type, slot), now);
            }
        }
    }

    void onPodGone(String uid, Instant now) {
        unassume(uid);
        leaveQueue(uid);
        freed(uid, now);
    }

    private @Nullable Assumed unassume(String uid) {
        awaiting.remove(uid);
        Assumed was = assumed.remove(uid);
        if (was != null) {
            state.volumes().release(was.claims());
        }
        return was;
    }

    private void leaveQueue(String uid) {
        PodQueue.Entry entry = queue.remove(uid);
        if (entry != null) {
            release(entry.type());
        }
        state.endNomination(uid);
    }

    private void release(PodClass type) {
        state.release(type);
        if (type.pods == 0) {
            failures.remove(type);
        }
    }

    private void freed(String uid, Instant now) {
        PlacedPod gone = state.forget(uid);
        if (gone != null) {
            roomGiven(gone, now);
        }
    }

    /** Room that was promised to others may be free. */
    void onPromisesEnded(Instant now) {
        if (queue.hasParked()) {
            queue.wake((_, reasons) -> reasons.contains(Reason.RESOURCES), now);
        }
    }

    /** Somebody else placed a pod. */
    void onPlaced(String uid, Instant now) {
        neighboursChanged(uid, now);
    }

    /** A pod, whoever had placed it, gave back its room. */
    void roomGiven(PlacedPod gone, Instant now) {
        if (!queue.hasParked()) {
            return;
        }
        Integer slot = state.nodes().find(gone.pod().node());
        queue.wake(
                (type, reasons) -> (slot != null && couldTake(type, slot))
                        || (!gone.type().claims.isEmpty() && reasons.contains(Reason.CLAIM_IN_USE))
                        || concerns(gone.type(), type, reasons),
                now);
    }

    private void neighboursChanged(String uid, Instant now) {
        PlacedPod come = state.findPlaced(uid);
        if (come != null && queue.hasParked()) {
            queue.wake((type, reasons) -> concerns(come.type(), type, reasons), now);
        }
    }

    /** Whether the coming or going of a pod may matter to others that its neighbours kept from a node. */
    private boolean concerns(PodClass changed, PodClass waiting, Set<Reason> reasons) {
        if (reasons.stream().noneMatch(OF_NEIGHBOURS::contains)) {
            return false;
        }
        return !changed.terms.apart().isEmpty()
                || waiting.terms.spreads().stream().anyMatch(each -> state.contains(each.pods(), changed))
                || waiting.terms.near().stream().anyMatch(each -> state.contains(each.pods(), changed))
                || waiting.terms.apart().stream().anyMatch(each -> state.contains(each.pods(), changed));
    }

    private boolean couldTake(PodClass type, int slot) {
        return state.nodes().isKnown(slot)
                && type.choice.refusal(state.nodes(), slot) == null
                && state.nodes().hasRoom(type, slot);
    }

    void onNode(NodeTable.Node node, Instant now) {
        Integer known = state.nodes().find(node.name());
        if (known != null && state.nodes().node(known).equals(node)) {
            // Heartbeats change nothing that matters here.
            return;
        }
        state.putNode(node);
        int slot = state.nodes().slot(node.name());
        // Labels may also move other nodes' pods nearer or farther.
        queue.wake((type, reasons) -> couldTake(type, slot) || reasons.stream().anyMatch(OF_NEIGHBOURS::contains), now);
    }

    void onNodeGone(String name, Instant now) {
        state.removeNode(name);
        queue.wake((_, reasons) -> reasons.contains(Reason.SPREAD), now);
    }

    void onNamespace(String name, @Nullable ObjectNode labels, Instant now) {
        state.putNamespace(name, labels);
        queue.wake((_, reasons) -> reasons.stream().anyMatch(OF_NEIGHBOURS::contains), now);
    }

    /** A claim, a volume or a class of volumes has changed. */
    void onVolumeChange(Instant now) {
        state.touch();
        queue.wake((type, _) -> !type.claims.isEmpty(), now);
    }

    /** There may be other devices than before. */
    void onDeviceChange(Instant now) {
        state.touch();
        queue.wake((type, _) -> type.mayNeedDevices(), now);
    }

    /** A claim of devices has come or changed, and gave nothing back. */
    void onClaimChange(String place, Instant now) {
        state.touch();
        queue.wake((type, _) -> type.usesDevicesOf(place), now);
    }

    /** A pod could not be given the node that was chosen. */
    void onBindingFailed(String uid, Instant now) {
        Assumed given = unassume(uid);
        if (given == null) {
            return;
        }
        freed(uid, now);
        ScheduledPod pod = given.pod();
        queue.add(pod, state.retain(pod.key()), now);
        PodQueue.Entry entry = queue.find(uid);
        if (entry != null) {
            queue.pause(entry, now);
        }
    }

    // ---- what is decided ----

    /** Handles one pod; null if none may have its turn now. */
    @Nullable
    List<Action> next(Instant now) {
        PodQueue.Entry entry = queue.next(now);
        return entry == null ? null : decide(entry, now);
    }

    /** When there is something to do although nothing happened; null if never. */
    @Nullable
    Instant nextDue() {
        Instant due = queue.nextDue();
        if (awaiting.isEmpty()) {
            return due;
        }
        Instant end = awaiting.values().iterator().next().since().plus(VOLUME_PATIENCE);
        return due == null || end.isBefore(due) ? end : due;
    }

    private List<Action> decide(PodQueue.Entry entry, Instant now) {
        ScheduledPod pod = entry.pod();
        PodClass type = entry.type();
        if (state.nodes().size() == 0) {
            return refuse(entry, FitMessage.NO_NODES, Set.of(), now);
        }
        Failure known = failures.get(type);
        if (known != null && known.holdsFor(pod, state.version())) {
            return refuse(entry, known.message(), known.reasons(), now);
        }
        Attempt attempt = new Attempt(state, pod, type);
        int slot = attempt.hopeless() == null ? attempt.best() : -1;
        DeviceNeeds devices = attempt.devices();
        if (devices != null && devices.trouble() != null) {
            queue.pause(entry, now);
            String message = "running \"DynamicResources\" filter plugin: " + devices.trouble();
            return List.of(new Action.GiveUp(pod, state.nomination(pod.uid()), message));
        }
        return slot >= 0 ? choose(entry, attempt, slot, now) : preemptOrRefuse(entry, attempt, now);
    }

    private List<Action> choose(PodQueue.Entry entry, Attempt attempt, int slot, Instant now) {
        ScheduledPod pod = entry.pod();
        NodeTable.Node node = state.nodes().node(slot);
        Volumes.Wanted wanted = attempt.volumes();
        List<Volumes.Choice> choices = wanted == null ? null : wanted.choices(node);
        boolean needsVolumes = choices != null && !choices.isEmpty();
        state.place(pod.on(node.name()), entry.type(), slot);
        leaveQueue(pod.uid());
        List<VolumeClaim> claims = choices == null
                ? List.of()
                : choices.stream().map(Volumes.Choice::claim).toList();
        Assumed given = new Assumed(pod, node.name(), now, claims);
        assumed.put(pod.uid(), given);
        neighboursChanged(pod.uid(), now);
        List<Action> actions = new ArrayList<>();
        if (choices != null && needsVolumes) {
            state.volumes().choose(choices);
            actions.add(new Action.ChooseVolumes(pod, node.name(), choices));
        }
        if (state.devices().areAwaited(pod, entry.type())) {
            actions.add(new Action.PrepareDevices(pod, node.name()));
        }
        if (actions.isEmpty()) {
            return List.of(new Action.Bind(pod, node.name()));
        }
        awaiting.put(pod.uid(), given);
        return actions;
    }

    /** Pods whose volumes are there and whose devices can be used now, or will not be. */
    List<Action> awaitedChanged(Instant now) {
        List<Action> ready = new ArrayList<>();
        for (Assumed each : List.copyOf(awaiting.values())) {
            ScheduledPod pod = each.pod();
            PlacedPod placed = state.findPlaced(pod.uid());
            List<String> claims = placed == null ? List.of() : placed.type().claims;
            Devices.Readiness devices = placed == null
                    ? new Devices.Readiness(true, null)
                    : state.devices().readiness(pod, placed.type(), now);
            boolean bound = state.volumes().areBound(pod.namespace(), claims);
            if (bound && devices.ready()) {
                awaiting.remove(pod.uid());
                ready.add(new Action.Bind(pod, each.node()));
            } else {
                String trouble = bound ? null : trouble(state.volumes(), each.claims(), each.since(), now);
                String why = trouble != null
                        ? "running PreBind plugin \"VolumeBinding\": binding volumes: " + trouble
                        : devices.problem() != null
                                ? "running PreBind plugin \"DynamicResources\": " + devices.problem()
                                : null;
                if (why != null) {
                    onBindingFailed(pod.uid(), now);
                    ready.add(new Action.GiveUp(pod, each.node(), why));
                }
            }
        }
        return ready;
    }

    /** Pods whose volumes or devices did not come in time. */
    List<Action> overdue(Instant now) {
        boolean some = !awaiting.isEmpty()
                && !awaiting.values()
                        .iterator()
                        .next()
                        .since()
                        .plus(VOLUME_PATIENCE)
                        .isAfter(now);
        return some ? awaitedChanged(now) : List.of();
    }

    /** Why volumes will not come, in the words of kube-scheduler; null while they may. */
    static @Nullable String trouble(Volumes volumes, List<VolumeClaim> claims, Instant since, Instant now) {
        for (VolumeClaim claim : claims) {
            if (!volumes.isStillThere(claim)) {
                return "failed to check provisioning pvc: persistentvolumeclaims \"" + claim.namespace() + "/"
                        + claim.name() + "\" not found";
            }
        }
        return since.plus(VOLUME_PATIENCE).isAfter(now) ? null : "context deadline exceeded";
    }

    private List<Action> preemptOrRefuse(PodQueue.Entry entry, Attempt attempt, Instant now) {
        ScheduledPod pod = entry.pod();
        Map<String, Integer> told = new TreeMap<>();
        Set<Reason> reasons = EnumSet.noneOf(Reason.class);
        String hopeless = attempt.hopeless();
        NodeTable nodes = state.nodes();
        for (int slot = 0; hopeless == null && slot < nodes.slots(); slot++) {
            Reason reason = nodes.isKnown(slot) ? attempt.refusal(slot) : null;
            if (reason != null) {
                reasons.add(reason);
                attempt.explain(slot).forEach(word -> told.merge(word, 1, Integer::sum));
            }
        }
        DeviceNeeds devices = attempt.devices();
        if (hopeless != null) {
            String why = devices != null && hopeless.equals(devices.problem())
                    ? FitMessage.withoutDevices(nodes.size(), hopeless)
                    : FitMessage.hopeless(nodes.size(), hopeless);
            return refuseAll(entry, why, Set.of(), now);
        }
        String message = FitMessage.of(nodes.size(), told);
        DeviceClaim freed = devices != null && reasons.contains(Reason.DEVICES_ELSEWHERE)
                ? devices.dispensable(IntStream.range(0, nodes.slots())
                        .filter(nodes::isKnown)
                        .mapToObj(nodes::node)
                        .toList())
                : null;
        Preemption.Found found = new Preemption(state, pod, attempt, company).find();
        Preemption.Victims victims = found.victims();
        if (victims != null) {
            return preempt(entry, victims, message, reasons, now);
        }
        String claims = devices == null
                ? FitMessage.NO_CLAIMS
                : devices.stale() != null
                        ? FitMessage.DELETED_CLAIM
                        : freed == null ? FitMessage.KEPT_CLAIMS : FitMessage.FREED_CLAIM;
        String whole = FitMessage.withPreemption(message, claims, found.message());
        if (freed == null) {
            return refuseAll(entry, whole, reasons, now);
        }
        List<Action> actions = new ArrayList<>(refuse(entry, whole, reasons, now));
        actions.add(new Action.Deallocate(freed));
        return actions;
    }

    /** Refuses a pod, and all others like it as long as nothing changes. */
    private List<Action> refuseAll(PodQueue.Entry entry, String message, Set<Reason> reasons, Instant now) {
        ScheduledPod pod = entry.pod();
        failures.put(entry.type(), new Failure(state.version(), pod.priority(), pod.preempts(), message, reasons));
        return refuse(entry, message, reasons, now);
    }

    private List<Action> preempt(
            PodQueue.Entry entry, Preemption.Victims victims, String message, Set<Reason> reasons, Instant now) {
        ScheduledPod pod = entry.pod();
        String node = state.nodes().node(victims.slot()).name();
        List<Action> actions = new ArrayList<>();
        for (PlacedPod victim : victims.pods()) {
            if (!victim.pod().deleting()) {
                actions.add(new Action.Evict(victim.pod(), pod, node));
            }
        }
        for (ScheduledPod stranded : victims.stranded()) {
            if (!stranded.deleting()) {
                actions.add(new Action.Evict(stranded, pod, node));
            }
        }
        for (ScheduledPod displaced : state.displaced(node, pod)) {
            state.endNomination(displaced.uid());
            PodQueue.Entry waiting = queue.find(displaced.uid());
            if (waiting != null) {
                queue.wake(waiting);
            }
            actions.add(new Action.Displace(displaced));
        }
        state.nominate(pod, node);
        queue.park(entry, reasons, now);
        actions.add(new Action.Refuse(pod, message, node));
        return actions;
    }

    private List<Action> refuse(PodQueue.Entry entry, String message, Set<Reason> reasons, Instant now) {
        queue.park(entry, reasons, now);
        String nominated = state.nomination(entry.pod().uid());
        return List.of(new Action.Refuse(entry.pod(), message, nominated));
    }
}
