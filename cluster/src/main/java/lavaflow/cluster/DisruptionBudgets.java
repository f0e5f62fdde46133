package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Keeps the status of PodDisruptionBudgets, by which the server grants or refuses evictions. */
final class DisruptionBudgets {
    private static final KubeApi.Kind BUDGETS = new KubeApi.Kind("policy", "v1", "poddisruptionbudgets", true);
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;
    private static final KubeApi.Kind DEPLOYMENTS = new KubeApi.Kind("apps", "v1", "deployments", true);
    private static final KubeApi.Kind STATEFUL_SETS = new KubeApi.Kind("apps", "v1", "statefulsets", true);

    /** One budget; the pod of that name where its announced end is to be looked at. */
    record Key(String namespace, String name, boolean isPod) {}

    /** What a mirror keeps of a budget. */
    record Selecting(Key key, LabelSelector selector, boolean needsScale) {}

    private final KubeApi api;
    private final Mirror<PodState> pods;
    private final Mirror<Selecting> budgets;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ControllerRunner<Key> runner;

    DisruptionBudgets(
            KubeApi api, Followers followers, Mirror<PodState> pods, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, "controllermanager", clock);
        this.pods = pods;
        this.budgets = new Mirror<>(
                followers,
                BUDGETS,
                budget -> new Selecting(key(budget), selector(budget), DisruptionBudget.needsScale(budget)),
                budget -> List.of(budget.key().namespace()));
        this.runner = new ControllerRunner<>("disruption-controller", followers, 1, this::reconcile, nanoTime)
                .follow(BUDGETS, budget -> List.of(key(budget)))
                .follow(PODS, this::concerned);
        for (KubeApi.Kind owner : List.of(
                DEPLOYMENTS,
                STATEFUL_SETS,
                ReplicaControllers.REPLICA_SETS,
                ReplicaControllers.REPLICATION_CONTROLLERS)) {
            // A new size of theirs is a new number of pods to expect, before any pod comes or goes.
            runner.follow(
                    owner,
                    object -> budgets.having(Objects.namespace(object)).stream()
                            .filter(Selecting::needsScale)
                            .map(Selecting::key)
                            .toList());
        }
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static Key key(ObjectNode budget) {
        return new Key(Objects.namespace(budget), Objects.name(budget), false);
    }

    /** None selects nothing, an empty one everything. */
    private static LabelSelector selector(ObjectNode budget) {
        return LabelSelector.fromJson(Json.at(budget, "spec", "selector"));
    }

    private List<Key> concerned(ObjectNode pod) {
        List<Key> keys = new ArrayList<>();
        for (Selecting budget : budgets.having(Objects.namespace(pod))) {
            if (budget.selector().matches(Json.at(pod, "metadata", "labels"))) {
                keys.add(budget.key());
            }
        }
        if (DisruptionBudget.untilStale(pod, clock.instant()).isPresent()) {
            keys.add(new Key(Objects.namespace(pod), Objects.name(pod), true));
        }
        return keys;
    }

    private Optional<Duration> reconcile(Key key) {
        if (key.isPod()) {
            return takeBack(key);
        }
        ObjectNode budget = api.find(BUDGETS, key.namespace(), key.name()).orElse(null);
        if (budget == null) {
            return Optional.empty();
        }
        LabelSelector selector = selector(budget);
        List<PodState> selected = pods.having(PodState.allOf(key.namespace())).stream()
                .filter(pod -> selector.matches(pod.labels()))
                .toList();
        if (selected.isEmpty()) {
            events.normal(budget, "NoPods", "No matching pods found");
        }
        Instant now = clock.instant();
        try {
            long scale = DisruptionBudget.needsScale(budget) ? scale(selected) : 0;
            DisruptionBudget.Report report = DisruptionBudget.report(budget, selected, scale, now);
            report.late().forEach(pod -> tellLate(budget, pod));
            write(budget, report.status());
            return report.recheck();
        } catch (UncountableException e) {
            String why = String.valueOf(e.getMessage());
            events.warning(
                    budget,
                    "CalculateExpectedPodCountFailed",
                    "Failed to calculate the number of expected pods: " + why);
            write(budget, DisruptionBudget.failed(budget, why, now));
            return Optional.empty();
        }
    }

    private void write(ObjectNode budget, ObjectNode status) {
        if (!status.equals(Json.at(budget, "status"))) {
            budget.set("status", status);
            api.update(BUDGETS, "status", budget);
        }
    }

    private void tellLate(ObjectNode budget, PodState late) {
        api.find(PODS, late.namespace(), late.name())
                .ifPresent(pod -> events.warning(
                        pod,
                        "NotDeleted",
                        "Pod was expected by PDB " + Objects.namespace(budget) + "/" + Objects.name(budget)
                                + " to be deleted but it wasn't"));
    }

    private Optional<Duration> takeBack(Key key) {
        ObjectNode pod = api.find(PODS, key.namespace(), key.name()).orElse(null);
        Instant now = clock.instant();
        Duration left =
                pod == null ? null : DisruptionBudget.untilStale(pod, now).orElse(null);
        if (pod == null || left == null) {
            return Optional.empty();
        }
        if (left.isPositive()) {
            return Optional.of(left);
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", Objects.uid(pod));
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "False")
                .put("lastTransitionTime", GoTime.seconds(now));
        api.patch(PODS, key.namespace(), key.name(), "status", KubeApi.Merge.STRATEGIC, patch);
        return Optional.empty();
    }

    // ---- how many pods there should be

    /** The expected number of pods cannot be found out. */
    private static final class UncountableException extends Exception {
        private static final long serialVersionUID = 1;

        UncountableException(String why) {
            super(why);
        }
    }

    /** The sizes of all controllers of these pods; pods without one do not count. */
    private long scale(List<PodState> selected) throws UncountableException {
        Map<String, Long> scales = new HashMap<>();
        Set<String> known = new HashSet<>();
        for (PodState pod : selected) {
            PodState.OwnerRef owner = pod.owner();
            if (owner != null && known.add(owner.uid())) {
                ObjectNode top = controller(pod, owner);
                scales.put(Objects.uid(top), Json.longAt(top, 0, "spec", "replicas"));
            }
        }
        return scales.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What decides over the number of a pod's like, or its Scale: for pods of a Deployment that, not its ReplicaSet. */
    private ObjectNode controller(PodState pod, PodState.OwnerRef owner) throws UncountableException {
        KubeApi.Kind kind = api.findKind(owner.apiVersion(), owner.kind()).orElse(null);
        if (kind == null) {
            throw new UncountableException(
                    "no matches for kind \"" + owner.kind() + "\" in version \"" + owner.apiVersion() + "\"");
        }
        ObjectNode scale;
        try {
            scale = api.findScale(kind, pod.namespace(), owner.name()).orElse(null);
        } catch (ApiException e) {
            if (e.code() != 404) {
                throw e;
            }
            throw new UncountableException(kind + " does not implement the scale subresource");
        }
        if (scale == null || !Objects.uid(scale).equals(owner.uid())) {
            throw new UncountableException("found no controllers for pod \"" + pod.name() + "\"");
        }
        if (kind.equals(ReplicaControllers.REPLICA_SETS)) {
            PodState.OwnerRef above = api.find(kind, pod.namespace(), owner.name())
                    .map(PodState.OwnerRef::of)
                    .orElse(null);
            if (above != null && above.kind().equals("Deployment")) {
                return api.find(DEPLOYMENTS, pod.namespace(), above.name())
                        .filter(deployment -> Objects.uid(deployment).equals(above.uid()))
                        .orElse(scale);
            }
        }
        return scale;
    }
}
