package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

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
import org.jspecify.annotations.Nullable;

/** Starts jobs when their time has come, as {@link CronDecisions} says, and removes those that ended long ago. */
final class CronJobs {
    static final KubeApi.Kind CRON_JOBS = new KubeApi.Kind("batch", "v1", "cronjobs", true);
    private static final KubeApi.Kind JOBS = Jobs.JOBS;

    /** One cron job. */
    record Key(String namespace, String name) {}

    private final KubeApi api;
    private final Mirror<CronDecisions.Child> jobs;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ZoneId zone;
    private final OwnWrites<Key> writes;
    /** Names of jobs that may have been made although nobody said so. */
    private final Map<Key, String> doubtful = new ConcurrentHashMap<>();

    private final ControllerRunner<Key> runner;

    /**
     * @param zone of cron jobs that name none
     */
    CronJobs(KubeApi api, Followers followers, InstantSource clock, ZoneId zone, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.zone = zone;
        this.events = new EventRecorder(api, "cronjob-controller", clock);
        this.writes = new OwnWrites<>(followers);
        this.jobs = new Mirror<>(
                followers, JOBS, job -> owner(job) != null, CronDecisions.Child::of, child -> List.of(child.owner()));
        this.runner = new ControllerRunner<>("cronjob-controller", followers, 5, this::reconcile, nanoTime)
                .follow(CRON_JOBS, object -> List.of(new Key(Objects.namespace(object), Objects.name(object))))
                .follow(JOBS, CronJobs::concerned);
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static PodState.@Nullable OwnerRef owner(ObjectNode job) {
        PodState.OwnerRef owner = PodState.OwnerRef.of(job);
        return owner != null && owner.kind().equals("CronJob") ? owner : null;
    }

    private static List<Key> concerned(ObjectNode job) {
        PodState.OwnerRef owner = owner(job);
        return owner == null ? List.of() : List.of(new Key(Objects.namespace(job), owner.name()));
    }

    private Optional<Duration> reconcile(Key key) {
        ObjectNode cronJob = api.find(CRON_JOBS, key.namespace(), key.name()).orElse(null);
        if (cronJob == null) {
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
                writes.wrote(key, CRON_JOBS, api.update(CRON_JOBS, "status", cronJob));
            }
        }
    }

    private Optional<Duration> sync(Key key, ObjectNode cronJob) {
        List<CronDecisions.Child> children = jobs.having(Objects.uid(cronJob)).stream()
                .filter(child -> !writes.isDeleted(key, child.uid()))
                .toList();
        for (CronDecisions.Child child : CronDecisions.surplus(cronJob, children)) {
            remove(key, cronJob, child.name(), child.uid());
        }
        settleDoubt(key, cronJob, children);
        CronDecisions.observe(cronJob, children).forEach(notice -> tell(cronJob, notice));
        for (JsonNode reference : CronDecisions.unknown(cronJob, children)) {
            String name = Json.textAt(reference, "name");
            if (api.find(JOBS, key.namespace(), name).isEmpty()) {
                events.normal(cronJob, "MissingJob", "Active job went missing: " + name);
                CronStarts.forget(cronJob, Json.textAt(reference, "uid"));
            }
        }
        CronDecisions.Decision decision = CronDecisions.decide(cronJob, clock.instant(), zone);
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

    /** A job that was made without an answer runs, and others may have to wait for it. */
    private void settleDoubt(Key key, ObjectNode cronJob, List<CronDecisions.Child> children) {
        String name = doubtful.get(key);
        if (name == null) {
            return;
        }
        CronDecisions.Child made = api.find(JOBS, key.namespace(), name)
                .map(CronDecisions.Child::of)
                .filter(job -> job.owner().equals(Objects.uid(cronJob)))
                .orElse(null);
        if (made != null) {
            CronDecisions.observe(cronJob, List.of(made));
        }
        if (made == null || children.contains(made)) {
            doubtful.remove(key);
        }
    }

    private void tell(ObjectNode cronJob, JobSync.Notice notice) {
        if (notice.warning()) {
            events.warning(cronJob, notice.reason(), notice.message());
        } else {
            events.normal(cronJob, notice.reason(), notice.message());
        }
    }

    /** False if the job could not be removed. */
    private boolean remove(Key key, ObjectNode cronJob, String name, String uid) {
        try {
            api.delete(JOBS, key.namespace(), name, new KubeApi.Deletion(uid, null, "Background"));
        } catch (ApiException e) {
            events.warning(cronJob, "FailedDelete", "Deleted job: " + e.getMessage());
            return false;
        }
        writes.deleted(key, uid);
        CronStarts.forget(cronJob, uid);
        events.normal(cronJob, "SuccessfulDelete", "Deleted job " + name);
        return true;
    }

    private void start(Key key, ObjectNode cronJob, Instant time) {
        ObjectNode job = CronDecisions.job(cronJob, time);
        ObjectNode started;
        try {
            started = api.create(JOBS, key.namespace(), job);
            writes.wrote(key, JOBS, started);
            events.normal(cronJob, "SuccessfulCreate", "Created job " + Objects.name(started));
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                if (e.code() >= 500) {
                    doubtful.put(key, Objects.name(job));
                }
                if (!Refusals.isNamespaceTerminating(e)) {
                    events.warning(cronJob, "FailedCreate", "Error creating job: " + e.getMessage());
                }
                throw e;
            }
            // We made it and did not get to say so; or it is somebody else's, who says it.
            started = api.find(JOBS, key.namespace(), Objects.name(job)).orElseThrow(() -> e);
            PodState.OwnerRef owner = owner(started);
            if (owner == null || !owner.uid().equals(Objects.uid(cronJob))) {
                return;
            }
        }
        CronDecisions.started(cronJob, started, time);
    }
}
