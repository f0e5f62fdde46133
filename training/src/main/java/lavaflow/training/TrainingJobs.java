package lavaflow.training;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.Outcome;
import lavaflow.controller.OwnWrites;
import lavaflow.controller.Plan;
import lavaflow.controller.PlanExecutor;
import lavaflow.controller.Timing;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Looks at jobs of all kinds, lets the {@link Engine} decide, and does what it says. */
final class TrainingJobs {
    private static final Duration SOON = Duration.ofMillis(100);
    /** Numbers of pods are told so often; ends and beginnings at once. */
    private static final Duration COUNTING = Duration.ofSeconds(1);

    private static final int WORKERS = 5;

    private final KubeApi api;
    private final Followers followers;
    private final Settings settings;
    private final Timing timing;
    private final Mirror<TrainingPod> pods;
    private final Mirror<TrainingService> services;
    private final @Nullable Mirror<ObjectNode> groups;
    private final OwnWrites<JobKey> writes;
    private final PlanExecutor<JobKey> executor;
    /** What nobody follows is read anew each time. */
    private final PlanExecutor<JobKey> besides;

    private final OwnWrites<JobKey> unseen;

    private final JobNews news;
    private final ControllerRunner<JobKey> runner;
    /** The jobs there are, by namespace and name: PodGroups that are not theirs may still matter to them. */
    private final Map<String, Set<JobKey>> known = new ConcurrentHashMap<>();

    private final Map<JobKey, Long> differentSince = new ConcurrentHashMap<>();

    TrainingJobs(KubeApi api, Followers followers, Settings settings, Timing timing, JobNews news) {
        this.api = api;
        this.followers = followers;
        this.settings = settings;
        this.timing = timing;
        this.news = news;
        this.writes = new OwnWrites<>(followers);
        this.executor = new PlanExecutor<>(api, writes, timing.fanout());
        this.unseen = new OwnWrites<>(followers);
        this.besides = new PlanExecutor<>(api, unseen, timing.fanout());
        this.pods = new Mirror<>(
                followers,
                Training.PODS,
                TrainingPod::mayBe,
                TrainingPod::of,
                pod -> List.of(pod.owner(), place(pod.namespace(), pod.job())));
        this.services = new Mirror<>(
                followers,
                Training.SERVICES,
                TrainingService::mayBe,
                TrainingService::of,
                service -> List.of(service.owner()));
        this.groups = settings.gang().isOn()
                ? Mirror.whileServed(followers, settings.gang().groups(), TrainingJobs::group, _ -> List.of())
                : null;
        this.runner =
                new ControllerRunner<>("training-operator", followers, WORKERS, this::reconcile, timing.nanoTime());
        Frameworks.ALL.forEach(framework -> runner.followWhileServed(
                framework.words().resource(),
                job -> List.of(met(framework.words().kind(), job))));
        runner.followWhileServed(MpiSshJob.RESOURCE, job -> List.of(met("MPIJob", job)));
        runner.follow(Training.PODS, TrainingJobs::owner)
                .follow(Training.SERVICES, TrainingJobs::owner)
                .follow(Training.BATCH_JOBS, TrainingJobs::owner);
        if (groups != null) {
            runner.followWhileServed(settings.gang().groups(), this::concerned);
            followers.listenWhileServed(settings.gang().groups(), KubeApi.View.METADATA, new Beginning());
        }
    }

    /** Hears when there can be gangs. */
    private final class Beginning implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {}

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {
            known.values().forEach(each -> each.forEach(runner.queue()::add));
        }

        @Override
        public void onNewKind(KubeApi.Kind kind) {
            known.values().forEach(each -> each.forEach(runner.queue()::add));
        }
    }

    ControllerRunner<JobKey> controller() {
        return runner;
    }

    private static String place(String namespace, String name) {
        return namespace + "/" + name;
    }

    private JobKey met(String kind, ObjectNode job) {
        JobKey key = new JobKey(kind, Training.namespace(job), Training.name(job));
        known.computeIfAbsent(place(key.namespace(), key.name()), _ -> ConcurrentHashMap.newKeySet())
                .add(key);
        return key;
    }

    /** The job that controls a pod or a service. */
    private static List<JobKey> owner(ObjectNode object) {
        JsonNode owner = Training.controller(object);
        JsonNode labels = Json.at(object, "metadata", "labels");
        if (Json.textAt(labels, Training.OPERATOR_NAME).equals(MpiSshJob.OPERATOR)) {
            // Launchers' pods are their Jobs'.
            return List.of(new JobKey("MPIJob", Training.namespace(object), Json.textAt(labels, Training.JOB_NAME)));
        }
        boolean ours = owner != null
                && Json.textAt(owner, "apiVersion").startsWith(Training.GROUP + "/")
                && Frameworks.ofKind(Json.textAt(owner, "kind")) != null;
        return ours
                ? List.of(
                        new JobKey(Json.textAt(owner, "kind"), Training.namespace(object), Json.textAt(owner, "name")))
                : List.of();
    }

    private List<JobKey> concerned(ObjectNode group) {
        return List.copyOf(known.getOrDefault(place(Training.namespace(group), Training.name(group)), Set.of()));
    }

    /** What counts of a PodGroup. */
    private static ObjectNode group(ObjectNode group) {
        ObjectNode kept = Json.object();
        ObjectNode metadata = kept.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "ownerReferences", "deletionTimestamp")) {
            JsonNode value = Json.at(group, "metadata", field);
            if (value != null) {
                metadata.set(field, value.deepCopy());
            }
        }
        kept.set("spec", group.path("spec").deepCopy());
        kept.putObject("status")
                .put("phase", Json.textAt(group, "status", "phase"))
                .put("holdup", Holdup.of(group));
        return kept;
    }

    // ---- one job

    private Optional<Duration> reconcile(JobKey key) {
        Framework framework = Frameworks.ofKind(key.kind());
        KubeApi.Kind followed = framework == null ? null : followed(framework);
        if (framework == null || followed == null) {
            return Optional.empty();
        }
        ObjectNode job = api.find(followed, key.namespace(), key.name()).orElse(null);
        if (job == null) {
            forget(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)
                || (groups != null
                        && isServed()
                        && !followers.hasSeen(settings.gang().groups()))) {
            return Optional.of(SOON);
        }
        boolean ssh = framework instanceof Mpi && MpiSshJob.is(job);
        Turn turn = new Turn(key, framework, ssh ? MpiSshJob.RESOURCE : followed, followed);
        return ssh ? reconcileSsh(turn, job) : reconcile(turn, job);
    }

    /**
     * One look at a job.
     *
     * @param kind in which version it is read and written
     * @param followed in which version it is seen
     */
    private record Turn(JobKey key, Framework framework, KubeApi.Kind kind, KubeApi.Kind followed) {}

    private Optional<Duration> reconcile(Turn turn, ObjectNode job) {
        TrainingJob view = TrainingJob.of(turn.framework(), job);
        if (waitsForGangs(job, settings.gang().of(view))) {
            return Optional.empty(); // told again once there can be groups
        }
        Observed seen = observe(turn.key(), pods.having(Training.uid(job)), Belongings.of(view), job);
        return carryOut(
                turn,
                job,
                Engine.decide(turn.framework(), seen, settings, timing.clock().instant()));
    }

    private Optional<Duration> reconcileSsh(Turn turn, ObjectNode other) {
        JobKey key = turn.key();
        ObjectNode job = turn.kind().equals(turn.followed())
                ? other
                : api.find(turn.kind(), key.namespace(), key.name()).orElse(null);
        if (job == null || waitsForGangs(job, settings.gang())) {
            return Optional.empty();
        }
        MpiSshJob view = MpiSshJob.of(job);
        Observed seen =
                observe(key, pods.having(place(key.namespace(), key.name())), MpiSshEngine.belongings(view), job);
        return carryOut(
                turn,
                job,
                MpiSshEngine.decide(
                        view, seen, settings, SshKey::make, timing.clock().instant()));
    }

    /** In which version jobs of a framework are seen; null if in none. */
    private KubeApi.@Nullable Kind followed(Framework framework) {
        KubeApi.Kind usual = framework.words().resource();
        List<KubeApi.Kind> served = api.kinds();
        if (served.contains(usual)) {
            return usual;
        }
        return framework instanceof Mpi && served.contains(MpiSshJob.RESOURCE) ? MpiSshJob.RESOURCE : null;
    }

    private boolean waitsForGangs(ObjectNode job, Gang gang) {
        boolean waits = gang.isOn() && !isServed() && !Conditions.isFinished(job.path("status"));
        if (waits) {
            news.waitsForGangs(job, gang);
        }
        return waits;
    }

    private boolean isServed() {
        return api.kinds().contains(settings.gang().groups());
    }

    private void forget(JobKey key) {
        writes.forget(key);
        differentSince.remove(key);
        news.forget(key);
        known.computeIfPresent(place(key.namespace(), key.name()), (_, keys) -> {
            keys.remove(key);
            return keys.isEmpty() ? null : keys;
        });
    }

    private Observed observe(
            JobKey key, List<TrainingPod> seen, List<Map.Entry<KubeApi.Kind, String>> wanted, ObjectNode job) {
        String uid = Training.uid(job);
        Set<String> living = new HashSet<>();
        seen.stream().filter(pod -> !pod.deleting()).forEach(pod -> living.add(pod.uid()));
        List<TrainingService> found = services.having(uid);
        found.forEach(service -> living.add(service.uid()));
        ObjectNode group = groups == null ? null : groups.get(key.namespace(), key.name());
        if (group != null) {
            living.add(Training.uid(group));
        }
        writes.keepDeleted(key, living);
        boolean gone = group != null && writes.isDeleted(key, Training.uid(group));
        Map<String, ObjectNode> others = new LinkedHashMap<>();
        wanted.forEach(each -> api.find(each.getKey(), key.namespace(), each.getValue())
                .ifPresent(object -> others.put(Observed.place(each.getKey().resource(), each.getValue()), object)));
        return new Observed(
                job,
                seen.stream()
                        .map(pod -> writes.isDeleted(key, pod.uid()) ? pod.deleted() : pod)
                        .toList(),
                found.stream()
                        .filter(service -> !writes.isDeleted(key, service.uid()))
                        .toList(),
                gone ? null : group,
                others,
                this::priority);
    }

    private long priority(String name) {
        return name.isEmpty()
                ? 0
                : api.find(Training.PRIORITIES, "", name)
                        .map(found -> Json.longAt(found, 0, "value"))
                        .orElse(0L);
    }

    private Optional<Duration> carryOut(Turn turn, ObjectNode job, Decision decision) {
        JobKey key = turn.key();
        Framework framework = turn.framework();
        Outcome aside = besides.run(key, Plan.together(decision.needed()));
        unseen.forget(key);
        aside.orThrow();
        Outcome outcome = executor.run(key, decision.plan());
        news.done(job, framework, outcome);
        Duration pause = null;
        ObjectNode status =
                Holdup.refused(job, decision.status(), outcome, timing.clock().instant());
        if (status != null) {
            pause = decision.urgent() || decision.status() == null ? null : beforeCounting(key);
            if (pause == null) {
                write(turn, job, status, outcome);
            }
        }
        news.tell(key, job, framework, decision);
        outcome.refused().stream()
                .map(Outcome.Refused::why)
                .filter(why -> why.code() != 404)
                .findFirst()
                .ifPresent(why -> {
                    throw why;
                });
        if (decision.delete()) {
            delete(turn, job);
        }
        Duration again = decision.again();
        return Optional.ofNullable(pause == null || (again != null && again.compareTo(pause) < 0) ? again : pause);
    }

    /** How long numbers can wait; null if they are to be written now. */
    private @Nullable Duration beforeCounting(JobKey key) {
        long now = timing.nanoTime().getAsLong();
        Long since = differentSince.putIfAbsent(key, now);
        Duration left = since == null ? COUNTING : COUNTING.minusNanos(now - since);
        return left.isPositive() ? left : null;
    }

    private void write(Turn turn, ObjectNode job, ObjectNode status, Outcome outcome) {
        KubeApi.Kind kind = turn.kind();
        ObjectNode next = job.deepCopy();
        // What was written about the job just now made another version of it.
        outcome.done().stream()
                .filter(done -> done.step().kind().equals(kind))
                .map(Outcome.Done::answer)
                .forEach(answer -> Json.ensureObject(next, "metadata")
                        .put("resourceVersion", Json.textAt(answer, "metadata", "resourceVersion")));
        next.set("status", status);
        writes.wrote(turn.key(), turn.followed(), api.update(kind, "status", next));
        differentSince.remove(turn.key());
    }

    private void delete(Turn turn, ObjectNode job) {
        Framework framework = turn.framework();
        try {
            api.delete(
                    turn.kind(),
                    Training.namespace(job),
                    Training.name(job),
                    new KubeApi.Deletion(Training.uid(job), null, "Background"));
            news.deleted(job, framework);
        } catch (ApiException e) {
            news.notDeleted(job, framework, e);
            throw e;
        }
    }
}
