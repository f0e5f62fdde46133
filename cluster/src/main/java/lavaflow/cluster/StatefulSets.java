package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Fanout;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Carries out the steps of {@link StatefulDecisions}: numbered pods with their claims, versions, status. */
final class StatefulSets {
    private static final KubeApi.Kind SETS = new KubeApi.Kind("apps", "v1", "statefulsets", true);
    /** For what nobody tells us of: claims of earlier pods that go. */
    private static final Duration RECHECK = Duration.ofSeconds(1);

    /** One set. */
    record Key(String namespace, String name) {}

    /** What a mirror keeps of a set: enough to know whose an orphan might be. */
    record Selecting(Key key, LabelSelector selector) {}

    private final KubeApi api;
    private final Mirror<StatefulPod> pods;
    private final Mirror<ClaimState> claims;
    private final Mirror<TemplateRevision> revisions;
    private final Mirror<Selecting> sets;
    private final Fanout fanout;
    private final InstantSource clock;
    private final OwnWrites<Key> writes;
    private final Ownership ownership;
    private final EventRecorder events;
    private final StatefulWriter writer;
    private final ControllerRunner<Key> runner;

    StatefulSets(
            KubeApi api,
            Followers followers,
            Mirror<TemplateRevision> revisions,
            Fanout fanout,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.revisions = revisions;
        this.fanout = fanout;
        this.clock = clock;
        this.writes = new OwnWrites<>(followers);
        this.ownership = new Ownership(api);
        this.events = new EventRecorder(api, "statefulset-controller", clock);
        this.writer = new StatefulWriter(api, events, writes);
        this.runner = new ControllerRunner<>("statefulset-controller", followers, 5, this::reconcile, nanoTime);
        this.pods = new Mirror<>(
                        followers, ReplicaControllers.PODS, StatefulPod::isWanted, StatefulPod::of, StatefulPod::words)
                .whenDifferent((before, after) -> {
                    wake(before);
                    wake(after);
                });
        this.claims = new Mirror<>(followers, ClaimState.KIND, ClaimState::of, _ -> List.of())
                .whenDifferent((before, after) -> {
                    if (before != null && after == null) {
                        claimGone(before);
                    }
                });
        this.sets = new Mirror<>(
                followers,
                SETS,
                set -> new Selecting(key(set), selector(set)),
                set -> List.of(set.key().namespace()));
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

    /** A pod concerns the set that controls it; an orphan the one it is named after. */
    private void wake(@Nullable StatefulPod pod) {
        if (pod == null) {
            return;
        }
        PodState.OwnerRef owner = pod.state().owner();
        // Orphans also where labels do not fit: one may have been let go, which frees its name once it ends.
        String set = owner == null ? pod.parent() : owner.name();
        if (owner != null || sets.get(pod.state().namespace(), set) != null) {
            runner.queue().add(new Key(pod.state().namespace(), set));
        }
    }

    /** A pod that has not started yet waits for its claim, and nothing else would tell of it. */
    private void claimGone(ClaimState claim) {
        int number = claim.name().lastIndexOf('-');
        for (Selecting set : sets.having(claim.namespace())) {
            if (number > 0
                    && claim.name()
                            .substring(0, number)
                            .endsWith("-" + set.key().name())) {
                runner.queue().add(set.key());
            }
        }
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode set = api.find(SETS, key.namespace(), key.name()).orElse(null);
        if (set == null) {
            writes.forget(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        LabelSelector selector = selector(set);
        List<TemplateRevision> history = claimRevisions(set, selector);
        List<StatefulPod> owned = claimPods(key, set, selector);
        Version version = version(key, set, history);
        if (version == null) {
            return Optional.empty();
        }
        StatefulDecisions.Observed observed = new StatefulDecisions.Observed(
                set, version.current(), version.update(), owned, name -> claims.get(key.namespace(), name));
        Instant now = clock.instant();
        StatefulDecisions.Step step = StatefulDecisions.next(observed, now);
        ApiException refusal = act(key, set, step);
        report(key, observed, version.collisions(), now);
        tidy(set, history, version, owned);
        if (refusal != null) {
            throw refusal;
        }
        return step.waiting() ? Optional.of(RECHECK) : StatefulStatus.untilAvailable(set, owned, now);
    }

    // ---- what belongs to the set

    private List<TemplateRevision> claimRevisions(ObjectNode set, LabelSelector selector) {
        List<TemplateRevision> found = new ArrayList<>(revisions.having(Objects.uid(set)));
        for (TemplateRevision orphan : revisions.having(PodState.orphansOf(Objects.namespace(set)))) {
            if (selector.matches(orphan.labels()) && !Objects.isDeleting(set)) {
                ownership.adopt(TemplateRevision.KIND, orphan.namespace(), orphan.name(), orphan.uid(), set);
                found.add(orphan);
            }
        }
        found.removeIf(revision -> !selector.matches(revision.labels()));
        found.sort(TemplateRevision.OLDEST_FIRST);
        return found;
    }

    private List<StatefulPod> claimPods(Key key, ObjectNode set, LabelSelector selector) {
        List<StatefulPod> owned = new ArrayList<>();
        for (StatefulPod pod : pods.having(Objects.uid(set))) {
            if (fits(pod, set, selector)) {
                owned.add(pod);
            } else if (!Objects.isDeleting(set)) {
                ownership.release(ReplicaControllers.PODS, key.namespace(), pod.name(), pod.uid(), Objects.uid(set));
            }
        }
        if (!Objects.isDeleting(set)) {
            for (StatefulPod orphan : pods.having(PodState.orphansOf(key.namespace()))) {
                if (!orphan.isDeleting() && fits(orphan, set, selector)) {
                    ownership.adopt(ReplicaControllers.PODS, key.namespace(), orphan.name(), orphan.uid(), set);
                    owned.add(orphan);
                }
            }
        }
        Set<String> living = owned.stream()
                .filter(pod -> !pod.isDeleting())
                .map(StatefulPod::uid)
                .collect(Collectors.toSet());
        writes.keepDeleted(key, living);
        owned.replaceAll(pod -> writes.isDeleted(key, pod.uid()) ? pod.whenDeleting() : pod);
        return owned;
    }

    private static boolean fits(StatefulPod pod, ObjectNode set, LabelSelector selector) {
        return pod.parent().equals(Objects.name(set))
                && selector.matches(pod.state().labels());
    }

    // ---- versions

    private record Version(TemplateRevision current, TemplateRevision update, long collisions) {}

    /** The versions in use; null where the set is going and its history already gone. */
    private @Nullable Version version(Key key, ObjectNode set, List<TemplateRevision> history) {
        long collisions = SetHistory.collisions(set);
        TemplateRevision update;
        switch (SetHistory.newest(set, history)) {
            case SetHistory.Newest.Present(TemplateRevision revision) -> update = revision;
            case SetHistory.Newest.Again(TemplateRevision revision, long number) ->
                update = renumber(key, revision, number);
            case SetHistory.Newest.Fresh(ObjectNode revision) -> {
                if (Objects.isDeleting(set)) {
                    return null;
                }
                collisions = create(key, set, revision, collisions);
                update = TemplateRevision.of(revision);
            }
        }
        String currentName = Json.textAt(set, "status", "currentRevision");
        TemplateRevision current = history.stream()
                .filter(revision -> revision.name().equals(currentName))
                .findFirst()
                .orElse(update);
        return new Version(current, update, collisions);
    }

    private TemplateRevision renumber(Key key, TemplateRevision revision, long number) {
        ObjectNode found = api.find(TemplateRevision.KIND, revision.namespace(), revision.name())
                .orElseThrow(() -> ApiException.notFound("apps", "controllerrevisions", revision.name()));
        found.put("revision", number);
        writes.wrote(key, TemplateRevision.KIND, api.update(TemplateRevision.KIND, "", found));
        return revision;
    }

    /** Makes a version under the first name that is free; how many were not is the result. */
    private long create(Key key, ObjectNode set, ObjectNode revision, long collisions) {
        long count = collisions;
        while (true) {
            try {
                writes.wrote(key, TemplateRevision.KIND, api.create(TemplateRevision.KIND, key.namespace(), revision));
                return count;
            } catch (ApiException e) {
                if (!e.reason().equals("AlreadyExists")) {
                    throw e;
                }
            }
            ObjectNode present = api.find(TemplateRevision.KIND, key.namespace(), Objects.name(revision))
                    .orElse(null);
            if (present != null
                    && TemplateRevision.of(present)
                            .data()
                            .equals(TemplateRevision.of(revision).data())) {
                return count;
            }
            SetHistory.rename(set, revision, ++count);
        }
    }

    private void tidy(ObjectNode set, List<TemplateRevision> history, Version version, List<StatefulPod> owned) {
        if (Objects.isDeleting(set)) {
            return;
        }
        Set<String> inUse =
                new HashSet<>(List.of(version.current().name(), version.update().name()));
        owned.forEach(pod -> inUse.add(pod.revision()));
        for (TemplateRevision old : SetHistory.superfluous(set, history, inUse)) {
            api.delete(TemplateRevision.KIND, old.namespace(), old.name(), KubeApi.Deletion.ofUid(old.uid()));
        }
    }

    // ---- pods

    /** The first refusal; what was to come after it is left for the next look. */
    private @Nullable ApiException act(Key key, ObjectNode set, StatefulDecisions.Step step) {
        AtomicReference<@Nullable ApiException> refusal = new AtomicReference<>();
        for (List<StatefulDecisions.Action> wave : step.waves()) {
            int from = 0;
            // In batches that double, so that a server which refuses all of them is asked once.
            for (int size = 1; from < wave.size() && refusal.get() == null; size *= 2) {
                List<StatefulDecisions.Action> batch = wave.subList(from, Math.min(from + size, wave.size()));
                fanout.run(batch.stream()
                        .map(action -> (Runnable) () -> {
                            try {
                                writer.perform(key, set, action);
                            } catch (ApiException e) {
                                refusal.compareAndSet(null, e);
                            }
                        })
                        .toList());
                from += size;
            }
        }
        ApiException why = refusal.get();
        return why == null || Refusals.isNamespaceTerminating(why) ? null : why;
    }

    private void report(Key key, StatefulDecisions.Observed observed, long collisions, Instant now) {
        ObjectNode status = StatefulStatus.of(observed, collisions, now);
        ObjectNode set = observed.set();
        if (StatefulStatus.isNews(set, status)) {
            ObjectNode reported = set.deepCopy();
            reported.set("status", status);
            writes.wrote(key, SETS, api.update(SETS, "status", reported));
        }
    }
}
