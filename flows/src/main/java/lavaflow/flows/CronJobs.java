package lavaflow.flows;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.cluster.CronStarts;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.controller.OwnWrites;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Starts Volcano's Jobs when their time has come, as {@link CronPlan} says, and removes those that ended long ago. */
final class CronJobs {
    static final String NAME = "vccronjob-controller";

    private final KubeApi api;
    private final Mirror<CronPlan.Child> jobs;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ZoneId zone;
    private final OwnWrites<Flows.Key> writes;
    /** Names of Jobs that may have been made although nobody said so. */
    private final Map<Flows.Key, String> doubtful = new ConcurrentHashMap<>();

    private final ControllerRunner<Flows.Key> runner;

    /** @param zone of CronJobs that name none */
    CronJobs(KubeApi api, Followers followers, InstantSource clock, ZoneId zone, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.zone = zone;
        this.events = new EventRecorder(api, "vc-controller-manager", clock);
        this.writes = new OwnWrites<>(followers);
        this.jobs = Mirror.whileServed(
                followers,
                Flows.JOBS,
                job -> ownerName(job).isEmpty() ? null : CronPlan.Child.of(job),
                child -> List.of(child.owner()));
        this.runner = new ControllerRunner<>(NAME, followers, 3, this::reconcile, nanoTime);
        runner.followWhileServed(Flows.CRON_JOBS, object -> List.of(Flows.Key.of(object)));
        runner.followWhileServed(
                Flows.JOBS,
                job -> ownerName(job).isEmpty()
                        ? List.of()
                        : List.of(new Flows.Key(Flows.namespace(job), ownerName(job))));
    }

    ControllerRunner<Flows.Key> controller() {
        return runner;
    }

    /** The CronJob that controls a Job; empty where none does. */
    private static String ownerName(ObjectNode job) {
        for (JsonNode owner : Json.listAt(job, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller") && Json.textAt(owner, "kind").equals("CronJob")) {
                return Json.textAt(owner, "name");
            }
        }
        return "";
    }

    private Optional<Duration> reconcile(Flows.Key key) {
        ObjectNode cronJob = api.kinds().contains(Flows.CRON_JOBS)
                ? api.find(Flows.CRON_JOBS, key.namespace(), key.name()).orElse(null)
                : null;
        if (cronJob == null || !api.kinds().contains(Flows.JOBS)) {
            writes.forget(key);
            doubtful.remove(key);
            return Optional.empty();
        }
        if (!writes.areSeen(key)) {
            return Optional.of(Duration.ofMillis(100));
        }
        ObjectNode before = cronJob.deepCopy();
        try {
            return sync(key, cronJob);
        } finally {
            // What was done must be known, also when the rest could not be done.
            if (!cronJob.equals(before)) {
                writes.wrote(key, Flows.CRON_JOBS, api.update(Flows.CRON_JOBS, "status", cronJob));
            }
        }
    }

    private Optional<Duration> sync(Flows.Key key, ObjectNode cronJob) {
        List<CronPlan.Child> children = jobs.having(Flows.uid(cronJob)).stream()
                .filter(child -> !writes.isDeleted(key, child.uid()))
                .toList();
        settleDoubt(key, cronJob, children);
        CronPlan.observe(cronJob, children).forEach(notice -> tell(cronJob, notice));
        for (CronPlan.Child child : CronPlan.surplus(cronJob, children)) {
            remove(key, cronJob, child.name(), child.uid());
        }
        for (JsonNode reference : CronPlan.unknown(cronJob, children)) {
            CronPlan.Notice stale =
                    CronPlan.stale(reference, api.find(Flows.JOBS, key.namespace(), Json.textAt(reference, "name")));
            if (stale != null) {
                tell(cronJob, stale);
                CronStarts.forget(cronJob, Json.textAt(reference, "uid"));
            }
        }
        CronPlan.Decision decision = CronPlan.decide(cronJob, clock.instant(), zone);
        decision.notices().forEach(notice -> tell(cronJob, notice));
        for (JsonNode reference : decision.replace()) {
            String name = Json.textAt(reference, "name");
            if (!remove(key, cronJob, name, Json.textAt(reference, "uid"))) {
                throw ApiException.internal("could not replace job " + key.namespace() + "/" + name);
            }
        }
        if (decision.start() != null) {
            start(key, cronJob, decision.start());
        }
        return decision.again();
    }

    /** A Job that was made without an answer runs, and others may have to wait for it. */
    private void settleDoubt(Flows.Key key, ObjectNode cronJob, List<CronPlan.Child> children) {
        String name = doubtful.get(key);
        if (name == null) {
            return;
        }
        CronPlan.Child made = api.find(Flows.JOBS, key.namespace(), name)
                .map(CronPlan.Child::of)
                .filter(job -> job.owner().equals(Flows.uid(cronJob)))
                .orElse(null);
        if (made != null) {
            CronPlan.observe(cronJob, List.of(made));
        }
        if (made == null || children.contains(made)) {
            doubtful.remove(key);
        }
    }

    private void tell(ObjectNode cronJob, CronPlan.Notice notice) {
        if (notice.warning()) {
            events.warning(cronJob, notice.reason(), notice.message());
        } else {
            events.normal(cronJob, notice.reason(), notice.message());
        }
    }

    /** False if the Job could not be removed. */
    private boolean remove(Flows.Key key, ObjectNode cronJob, String name, String uid) {
        try {
            api.delete(Flows.JOBS, key.namespace(), name, new KubeApi.Deletion(uid, null, "Background"));
        } catch (ApiException e) {
            events.warning(cronJob, "FailedDelete", "Error deleting job \"" + name + "\": " + e.getMessage());
            return false;
        }
        writes.deleted(key, uid);
        CronStarts.forget(cronJob, uid);
        events.normal(cronJob, "SuccessfulDelete", "Deleted job \"" + name + "\"");
        return true;
    }

    private void start(Flows.Key key, ObjectNode cronJob, Instant time) {
        ObjectNode job = CronPlan.job(cronJob, time);
        ObjectNode started;
        try {
            started = api.create(Flows.JOBS, key.namespace(), job);
            writes.wrote(key, Flows.JOBS, started);
            events.normal(
                    cronJob,
                    "SuccessfulCreate",
                    "Created job " + Flows.name(started) + " for CronJob " + key.namespace() + "/" + key.name());
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                refused(key, cronJob, Flows.name(job), e);
                throw e;
            }
            // We made it and did not get to say so; or it is somebody else's, who says it.
            started = api.find(Flows.JOBS, key.namespace(), Flows.name(job)).orElseThrow(() -> e);
            if (!Flows.controller(started).equals(Flows.uid(cronJob))) {
                String owner = ownerName(started);
                events.warning(
                        cronJob,
                        "ForeignJob",
                        "Job " + Flows.name(started) + " exists but is not owned by this CronJob (current owner: "
                                + (owner.isEmpty() ? "none" : owner) + ")");
                return;
            }
        }
        CronPlan.started(cronJob, started, time);
    }

    private void refused(Flows.Key key, ObjectNode cronJob, String job, ApiException e) {
        if (e.code() >= 500) {
            doubtful.put(key, job);
        }
        boolean ending = Json.listAt(e.status(), "details", "causes")
                .valueStream()
                .anyMatch(cause -> Json.textAt(cause, "reason").equals("NamespaceTerminating"));
        if (ending) {
            events.warning(
                    cronJob,
                    "NamespaceTerminating",
                    "Namespace " + key.namespace() + " is terminating, skipping job creation");
        } else {
            events.warning(cronJob, "FailedCreate", "Failed to create job: " + e.getMessage());
        }
    }
}
