package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.Outcome;
import lavaflow.controller.OwnWrites;
import lavaflow.controller.Plan;
import lavaflow.controller.PlanExecutor;
import lavaflow.controller.Step;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the steps of {@link DaemonDecisions}: a pod on each node that fits.
 *
 * <p>Nodes are many and say often that they live, so a set is looked at only when a node changed in a way that matters to it.
 */
final class DaemonSets {
    static final KubeApi.Kind SETS = new KubeApi.Kind("apps", "v1", "daemonsets", true);
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;

    /** One set. */
    record Key(String namespace, String name) {}

    /** What a mirror keeps of a set: enough to know whose an orphan might be. */
    record Selecting(Key key, LabelSelector selector) {}

    private final KubeApi api;
    private final Mirror<DaemonPod> pods;
    private final Mirror<DaemonNode> nodes;
    private final Mirror<Selecting> sets;
    private final InstantSource clock;
    private final OwnWrites<Key> writes;
    private final Ownership ownership;
    private final DaemonHistory history;
    private final Alterations<Key> alterations = new Alterations<>();
    private final DaemonBackoff<Key> backoff = new DaemonBackoff<>();
    private final Map<Key, DaemonPlacement> placements = new ConcurrentHashMap<>();
    private final EventRecorder events;
    private final PlanExecutor<Key> executor;
    private final ControllerRunner<Key> runner;

    DaemonSets(
            KubeApi api,
            Followers followers,
            Mirror<TemplateRevision> revisions,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.writes = new OwnWrites<>(followers);
        this.ownership = new Ownership(api);
        this.history = new DaemonHistory(api, revisions, writes);
        this.events = new EventRecorder(api, "daemonset-controller", clock);
        this.executor = new PlanExecutor<>(api, writes, fanout);
        this.runner = new ControllerRunner<>("daemonset-controller", followers, 2, this::reconcile, nanoTime);
        this.sets = new Mirror<>(
                followers,
                SETS,
                set -> new Selecting(key(set), selector(set)),
                set -> List.of(set.key().namespace()));
        this.pods = new Mirror<>(followers, PODS, DaemonPod::isWanted, DaemonPod::of, DaemonPod::words)
                .whenDifferent((before, after) -> {
                    wake(before == null ? null : before.state());
                    wake(after == null ? null : after.state());
                });
        this.nodes = new Mirror<>(followers, DaemonNode.KIND, DaemonNode::of, _ -> List.of())
                .whenDifferent(this::nodeChanged);
        revisions.whenDifferent((before, after) -> {
            wake(before);
            // As upstream: that a set has one revision more is no news for it until something else is.
            if (before != null || after == null || after.owner() == null) {
                wake(after);
            }
        });
        runner.follow(SETS, set -> List.of(key(set)));
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static Key key(ObjectNode object) {
        return new Key(Objects.namespace(object), Objects.name(object));
    }

    private static LabelSelector selector(ObjectNode set) {
        return LabelSelector.fromJson(Json.at(set, "spec", "selector"));
    }

    // ---- what asks for attention

    private void wake(@Nullable PodState pod) {
        if (pod != null) {
            wake(pod.namespace(), pod.owner(), pod.labels());
        }
    }

    private void wake(@Nullable TemplateRevision revision) {
        if (revision != null) {
            wake(revision.namespace(), revision.owner(), revision.labels());
        }
    }

    /** An object concerns the set that controls it; an orphan whoever might take it in. */
    private void wake(String namespace, PodState.@Nullable OwnerRef owner, ObjectNode labels) {
        if (owner == null) {
            sets.having(namespace).stream()
                    .filter(set -> set.selector().matches(labels))
                    .forEach(set -> runner.queue().add(set.key()));
        } else if (owner.kind().equals("DaemonSet")) {
            runner.queue().add(new Key(namespace, owner.name()));
        }
    }

    private void nodeChanged(@Nullable DaemonNode before, @Nullable DaemonNode after) {
        placements.forEach((key, placement) -> {
            DaemonPlacement.Fit was = before == null ? DaemonPlacement.Fit.LEAVE : placement.fit(before);
            DaemonPlacement.Fit is = after == null ? DaemonPlacement.Fit.LEAVE : placement.fit(after);
            if (after == null && before != null) {
                placement.forget(before.name());
            }
            if (was != is) {
                runner.queue().add(key);
            }
        });
    }

    // ---- one look

    private Optional<Duration> reconcile(Key key) {
        ObjectNode set = api.find(SETS, key.namespace(), key.name()).orElse(null);
        if (set == null) {
            writes.forget(key);
            backoff.forget(key);
            alterations.forget(key);
            placements.remove(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        LabelSelector selector = selector(set);
        if (selector.isEverything()) {
            events.warning(
                    set, "SelectingAll", "This daemon set is selecting all pods. A non-empty selector is required.");
            return Optional.empty();
        }
        if (Objects.isDeleting(set)) {
            // Its history may be gone already, and must not be made anew.
            return Optional.empty();
        }
        List<DaemonPod> owned = claim(key, set, selector);
        DaemonHistory.Versions versions = history.versions(key, set, selector, owned);
        if (versions == null) {
            return Optional.empty();
        }
        // Put there before nodes are read: who changes afterwards asks for another look.
        DaemonPlacement placement = placements.compute(
                key, (_, known) -> known != null && known.isOf(set) ? known : new DaemonPlacement(set));
        Instant now = clock.instant();
        DaemonDecisions.Observed observed = new DaemonDecisions.Observed(
                set,
                versions.hash(),
                nodes.all(),
                placement::fit,
                DaemonDecisions.byNode(owned),
                node -> backoff.remaining(key, node, now));
        DaemonDecisions.Step step = DaemonDecisions.next(observed, now);
        ApiException refusal = act(key, set, versions.hash(), step, now);
        report(key, observed, now);
        if (refusal != null) {
            throw refusal;
        }
        history.tidy(set, versions, owned);
        return Stream.of(step.again(), DaemonStatus.untilAvailable(set, owned, now))
                .flatMap(Optional::stream)
                .min(Duration::compareTo);
    }

    private List<DaemonPod> claim(Key key, ObjectNode set, LabelSelector selector) {
        List<DaemonPod> owned = new ArrayList<>();
        for (DaemonPod pod : pods.having(Objects.uid(set))) {
            if (selector.matches(pod.state().labels())) {
                owned.add(pod);
            } else {
                ownership.release(PODS, key.namespace(), pod.name(), pod.uid(), Objects.uid(set));
            }
        }
        for (DaemonPod orphan : pods.having(PodState.orphansOf(key.namespace()))) {
            if (!orphan.isDeleting() && selector.matches(orphan.state().labels())) {
                ownership.adopt(PODS, key.namespace(), orphan.name(), orphan.uid(), set);
                owned.add(orphan);
            }
        }
        Set<String> living = owned.stream()
                .filter(pod -> !pod.isDeleting())
                .map(DaemonPod::uid)
                .collect(Collectors.toSet());
        writes.keepDeleted(key, living);
        owned.replaceAll(pod -> writes.isDeleted(key, pod.uid()) ? pod.whenDeleting() : pod);
        return owned;
    }

    /** The first refusal. */
    private @Nullable ApiException act(Key key, ObjectNode set, String hash, DaemonDecisions.Step step, Instant now) {
        for (DaemonPod pod : step.ended()) {
            tell(key, set, pod, now);
        }
        ApiException refused = step.create().isEmpty() ? null : create(key, set, hash, step.create());
        ApiException kept = step.delete().isEmpty() ? null : delete(key, set, step.delete());
        return refused != null ? refused : kept;
    }

    private void tell(Key key, ObjectNode set, DaemonPod pod, Instant now) {
        String which = " daemon pod " + pod.state().namespace() + "/" + pod.name() + " on node " + pod.target();
        if (pod.state().phase().equals("Failed")) {
            backoff.replaced(key, pod.target(), now);
            events.warning(set, "FailedDaemonPod", "Found failed" + which + ", will try to kill it");
        } else {
            events.normal(set, "SucceededDaemonPod", "Found succeeded" + which + ", will try to delete it");
        }
    }

    private @Nullable ApiException create(Key key, ObjectNode set, String hash, List<String> on) {
        ApiException held = alterations.holding(key, set, clock.instant());
        if (held != null) {
            return held;
        }
        ObjectNode pod = DaemonTemplate.pod(set, hash);
        List<Step> steps = on.stream()
                .<Step>map(node -> new Step.Create(PODS, key.namespace(), DaemonTemplate.podFor(pod, node)))
                .toList();
        Outcome outcome = executor.run(key, Plan.together(steps));
        ApiException altered = null;
        for (Outcome.Done done : outcome.done()) {
            ObjectNode made = done.answer();
            if (made != null) {
                events.normal(set, "SuccessfulCreate", "Created pod: " + Objects.name(made));
                ApiException why = alterations.check(key, set, selector(set), made, clock.instant());
                altered = altered == null ? why : altered;
            }
        }
        if (altered != null) {
            events.warning(set, "FailedCreate", "Error creating: " + altered.getMessage());
        }
        ApiException refused = tellRefusals(set, outcome, "FailedCreate", "Error creating: ");
        return refused == null ? altered : refused;
    }

    private @Nullable ApiException delete(Key key, ObjectNode set, List<DaemonPod> victims) {
        List<Step> steps = victims.stream()
                .<Step>map(pod -> new Step.Delete(PODS, key.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid())))
                .toList();
        Outcome outcome = executor.run(key, Plan.together(steps));
        for (Outcome.Done done : outcome.done()) {
            if (done.step() instanceof Step.Delete gone) {
                events.normal(set, "SuccessfulDelete", "Deleted pod: " + gone.name());
            }
        }
        return tellRefusals(set, outcome, "FailedDelete", "Error deleting: ");
    }

    private @Nullable ApiException tellRefusals(ObjectNode set, Outcome outcome, String reason, String words) {
        ApiException first = null;
        for (Outcome.Refused refused : outcome.refused()) {
            if (!Refusals.isNamespaceTerminating(refused.why())) {
                events.warning(set, reason, words + refused.why().getMessage());
                first = first == null ? refused.why() : first;
            }
        }
        return first;
    }

    private void report(Key key, DaemonDecisions.Observed observed, Instant now) {
        ObjectNode status = DaemonStatus.of(observed, now);
        ObjectNode set = observed.set();
        if (!status.equals(Json.at(set, "status"))) {
            ObjectNode reported = set.deepCopy();
            reported.set("status", status);
            writes.wrote(key, SETS, api.update(SETS, "status", reported));
        }
    }
}
