package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Carries out what {@link JobSync} decides: runs the pods of jobs, counts those that ended, and lets them go. */
final class Jobs {
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind PODS = ReplicaControllers.PODS;
    private static final Duration SOON = Duration.ofMillis(100);

    /** One job; the empty name stands for the pods of a namespace that lost theirs. */
    record Key(String namespace, String name) {}

    /** What a mirror keeps of a job: enough to know whose an orphan might be. */
    record Selecting(Key key, LabelSelector selector) {}

    private final KubeApi api;
    private final Mirror<JobPod> pods;
    private final Mirror<Selecting> jobs;
    private final EventRecorder events;
    private final InstantSource clock;
    private final OwnWrites<Key> writes;
    private final PlanExecutor<Key> executor;
    private final Alterations<Key> alterations = new Alterations<>();
    private final ControllerRunner<Key> runner;
    private final Map<Key, JobBackoff> backoffs = new ConcurrentHashMap<>();
    /** Pods that were let go although the view may not show it yet. */
    private final Map<Key, Set<String>> released = new ConcurrentHashMap<>();

    Jobs(KubeApi api, Followers followers, Fanout fanout, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.events = new EventRecorder(api, "job-controller", clock);
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, fanout);
        this.pods = new Mirror<>(followers, PODS, JobPod::mayBe, JobPod::of, JobPod::words);
        this.jobs = new Mirror<>(
                followers,
                JOBS,
                job -> new Selecting(key(job), selector(job)),
                job -> List.of(job.key().namespace()));
        this.runner = new ControllerRunner<>("job-controller", followers, 5, this::reconcile, nanoTime)
                .follow(JOBS, job -> List.of(key(job)))
                .follow(PODS, this::concerned);
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static Key key(ObjectNode object) {
        return new Key(Objects.namespace(object), Objects.name(object));
    }

    private static LabelSelector selector(ObjectNode job) {
        return LabelSelector.fromJson(Json.at(job, "spec", "selector"));
    }

    /** A pod concerns its job; an orphan whoever might take it in, and us if nobody does. */
    private List<Key> concerned(ObjectNode pod) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(pod);
        String namespace = Objects.namespace(pod);
        if (owner != null) {
            return JobPod.isJob(owner) ? List.of(new Key(namespace, owner.name())) : List.of();
        }
        List<Key> takers = takers(namespace, Json.at(pod, "metadata", "labels"));
        boolean lost = takers.isEmpty() && Objects.finalizers(pod).contains(JobPod.FINALIZER);
        return lost ? List.of(new Key(namespace, "")) : takers;
    }

    private List<Key> takers(String namespace, @Nullable JsonNode labels) {
        return labels == null || labels.isEmpty()
                ? List.of()
                : jobs.having(namespace).stream()
                        .filter(job -> job.selector().matches(labels))
                        .map(Selecting::key)
                        .toList();
    }

    private Optional<Duration> reconcile(Key key) {
        if (key.name().isEmpty()) {
            letGo(
                    key,
                    pods.having(PodState.orphansOf(key.namespace())).stream()
                            .filter(pod -> takers(key.namespace(), pod.state().labels())
                                    .isEmpty())
                            .toList());
            return Optional.empty();
        }
        ObjectNode job = api.find(JOBS, key.namespace(), key.name()).orElse(null);
        if (job != null && !JobSpec.isOurs(job)) {
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(SOON);
        }
        ObjectNode current = job == null || JobStatus.isFinished(job) ? null : job;
        // Pods of a job that is over, or of an earlier one with its name, are not counted any more.
        letGo(
                key,
                pods.having(JobPod.ofJobNamed(key.namespace(), key.name())).stream()
                        .filter(pod -> current == null || !isOwnedBy(pod, current))
                        .toList());
        if (current != null) {
            return sync(key, current);
        }
        backoffs.remove(key);
        alterations.forget(key);
        released.remove(key);
        writes.forget(key);
        return Optional.empty();
    }

    private static boolean isOwnedBy(JobPod pod, ObjectNode job) {
        PodState.OwnerRef owner = pod.state().owner();
        return owner != null && owner.uid().equals(Objects.uid(job));
    }

    private void letGo(Key key, List<JobPod> lost) {
        List<JobPod> held = lost.stream().filter(JobPod::tracked).toList();
        release(key, held).refusal().ifPresent(why -> {
            throw why;
        });
    }

    private Optional<Duration> sync(Key key, ObjectNode job) {
        LabelSelector selector = selector(job);
        JobSync.Claim claim = JobSync.claim(job, selector, candidates(key, job));
        executor.run(key, ownership(job, claim)).refused().stream()
                .map(Outcome.Refused::why)
                .filter(why -> !isGone(why))
                .findFirst()
                .ifPresent(why -> {
                    throw why;
                });
        JobBackoff before = backoffs.getOrDefault(key, JobBackoff.NONE);
        JobSync sync = new JobSync(job, claim.owned(), before, clock.instant());
        Optional<ApiException> refusal = work(key, job, sync);
        sync.notices().forEach(notice -> tell(job, notice));
        if (sync.keepsDeletedPods() && isLeaving(key.namespace())) {
            sync.letAllGo();
        }
        JobSync.Ledger ledger = sync.account();
        if (ledger.status() != null) {
            write(key, job, ledger.status());
            backoffs.put(key, sync.backoff());
        }
        Released gone = release(key, ledger.release());
        JobSync.Closing closing = sync.close(gone.uids(), gone.refusal().isEmpty());
        if (closing.status() != null) {
            write(key, job, closing.status());
        }
        closing.notices().forEach(notice -> tell(job, notice));
        gone.refusal().or(() -> refusal).ifPresent(why -> {
            throw why;
        });
        return sync.recheck();
    }

    /** Whether no pod can be made any more; a namespace waits for its pods, and would wait for ever for those we keep. */
    private boolean isLeaving(String namespace) {
        return api.find(NAMESPACES, "", namespace).filter(Objects::isDeleting).isPresent();
    }

    /** The view, and what is known to be different by now. */
    private List<JobPod> candidates(Key key, ObjectNode job) {
        List<JobPod> candidates = new ArrayList<>(pods.having(Objects.uid(job)));
        candidates.addAll(pods.having(PodState.orphansOf(key.namespace())));
        Set<String> tracked = uids(candidates.stream().filter(JobPod::tracked).toList());
        Set<String> let = released.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet());
        let.retainAll(tracked);
        writes.keepDeleted(
                key,
                uids(candidates.stream().filter(pod -> !pod.state().deleting()).toList()));
        candidates.replaceAll(pod -> {
            JobPod known = writes.isDeleted(key, pod.uid()) ? pod.deleting() : pod;
            return known.tracked(known.tracked() && !let.contains(pod.uid()));
        });
        return candidates;
    }

    private static Set<String> uids(List<JobPod> pods) {
        return pods.stream().map(JobPod::uid).collect(Collectors.toSet());
    }

    private void write(Key key, ObjectNode job, ObjectNode status) {
        job.set("status", status);
        ObjectNode answer = api.update(JOBS, "status", job);
        writes.wrote(key, JOBS, answer);
        Json.ensureObject(job, "metadata").put("resourceVersion", Objects.resourceVersion(answer));
    }

    private void tell(ObjectNode job, JobSync.Notice notice) {
        if (notice.warning()) {
            events.warning(job, notice.reason(), notice.message());
        } else {
            events.normal(job, notice.reason(), notice.message());
        }
    }

    // ---- pods

    /** Lets pods in and out of the job, together with the finalizer. */
    private static Plan ownership(ObjectNode job, JobSync.Claim claim) {
        List<Step> steps = new ArrayList<>();
        for (JobPod pod : claim.adopt()) {
            ObjectNode patch = patch(pod);
            ObjectNode metadata = Json.ensureObject(patch, "metadata");
            metadata.putArray("ownerReferences").add(ReplicaDecisions.ownerReference(job));
            metadata.putArray("finalizers").add(JobPod.FINALIZER);
            steps.add(step(pod, patch));
        }
        for (JobPod pod : claim.release()) {
            ObjectNode patch = withoutFinalizer(pod);
            Json.ensureObject(patch, "metadata")
                    .putArray("ownerReferences")
                    .addObject()
                    .put("$patch", "delete")
                    .put("uid", Objects.uid(job));
            steps.add(step(pod, patch));
        }
        return Plan.together(steps);
    }

    private static ObjectNode patch(JobPod pod) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", pod.uid());
        return patch;
    }

    private static ObjectNode withoutFinalizer(JobPod pod) {
        ObjectNode patch = patch(pod);
        Json.ensureObject(patch, "metadata")
                .putArray("$deleteFromPrimitiveList/finalizers")
                .add(JobPod.FINALIZER);
        return patch;
    }

    private static Step step(JobPod pod, ObjectNode patch) {
        return new Step.Patch(PODS, pod.state().namespace(), pod.name(), "", KubeApi.Merge.STRATEGIC, patch);
    }

    /** A pod that is not there is what was wanted when it was to go. A lost race is not: the pod may still be there. */
    private static boolean isGone(ApiException why) {
        return why.code() == 404;
    }

    private record Released(Set<String> uids, Optional<ApiException> refusal) {}

    /** Takes the finalizer off pods. */
    private Released release(Key key, List<JobPod> wanted) {
        if (wanted.isEmpty()) {
            return new Released(Set.of(), Optional.empty());
        }
        List<Step> steps =
                wanted.stream().map(pod -> step(pod, withoutFinalizer(pod))).toList();
        Outcome outcome = executor.run(key, Plan.together(steps));
        Set<Step> failed = outcome.refused().stream()
                .filter(refused -> !isGone(refused.why()))
                .map(Outcome.Refused::step)
                .collect(Collectors.toSet());
        Set<String> uids = new HashSet<>();
        for (int i = 0; i < steps.size(); i++) {
            if (!failed.contains(steps.get(i))) {
                uids.add(wanted.get(i).uid());
            }
        }
        released.computeIfAbsent(key, _ -> ConcurrentHashMap.newKeySet()).addAll(uids);
        return new Released(
                uids,
                outcome.refused().stream()
                        .map(Outcome.Refused::why)
                        .filter(why -> !isGone(why))
                        .findFirst());
    }

    /** Makes and ends pods; what the server refused comes up again after the counting. */
    private Optional<ApiException> work(Key key, ObjectNode job, JobSync sync) {
        return switch (sync.work()) {
            case JobSync.Work.Nothing() -> {
                sync.rested();
                yield Optional.empty();
            }
            case JobSync.Work.Create(List<JobTemplate.Place> places) -> create(key, job, sync, places);
            case JobSync.Work.Delete(List<JobPod> wanted, boolean counted) -> delete(key, job, sync, wanted, counted);
        };
    }

    private Optional<ApiException> create(Key key, ObjectNode job, JobSync sync, List<JobTemplate.Place> places) {
        ApiException held = alterations.holding(key, job, clock.instant());
        if (held != null) {
            sync.rested();
            return Optional.of(held);
        }
        List<Step> steps = places.stream()
                .<Step>map(place -> new Step.Create(PODS, key.namespace(), JobTemplate.pod(job, place)))
                .toList();
        Outcome outcome = executor.run(key, Plan.together(steps));
        List<ApiException> refusals = new ArrayList<>();
        for (Outcome.Done done : outcome.done()) {
            ObjectNode made = done.answer();
            if (made != null) {
                events.normal(job, "SuccessfulCreate", "Created pod: " + Objects.name(made));
                ApiException altered = alterations.check(key, job, selector(job), made, clock.instant());
                if (altered != null) {
                    refusals.add(altered);
                }
            }
        }
        sync.created(outcome.done().size());
        outcome.refused().stream()
                .map(Outcome.Refused::why)
                .filter(why -> !Refusals.isNamespaceTerminating(why))
                .forEach(refusals::add);
        refusals.forEach(why -> events.warning(job, "FailedCreate", "Error creating: " + why.getMessage()));
        return refusals.stream().findFirst();
    }

    private Optional<ApiException> delete(Key key, ObjectNode job, JobSync sync, List<JobPod> wanted, boolean counted) {
        Released free = counted
                ? new Released(uids(wanted), Optional.empty())
                : release(key, wanted.stream().filter(JobPod::tracked).toList());
        List<JobPod> ready = wanted.stream()
                .filter(pod -> counted || !pod.tracked() || free.uids().contains(pod.uid()))
                .toList();
        List<Step> steps = ready.stream()
                .<Step>map(pod -> new Step.Delete(PODS, key.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid())))
                .toList();
        Outcome outcome = executor.run(key, Plan.together(steps));
        outcome.done()
                .forEach(done ->
                        events.normal(job, "SuccessfulDelete", "Deleted pod: " + ((Step.Delete) done.step()).name()));
        List<ApiException> refusals = new ArrayList<>();
        Set<String> refused = new HashSet<>();
        for (Outcome.Refused each : outcome.refused()) {
            if (!isGone(each.why())) {
                refusals.add(each.why());
                refused.add(((Step.Delete) each.step()).name());
                if (each.why().code() != 409) {
                    events.warning(
                            job, "FailedDelete", "Error deleting: " + each.why().getMessage());
                }
            }
        }
        sync.deleted(ready.stream().filter(pod -> !refused.contains(pod.name())).toList());
        return refusals.stream().findFirst().or(free::refusal);
    }
}
