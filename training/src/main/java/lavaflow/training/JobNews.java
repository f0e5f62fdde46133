package lavaflow.training;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.controller.EventRecorder;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Outcome;
import lavaflow.controller.Step;
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells what happens to jobs: events, of which upstream's controllers write one for every pod, and counters. Thread-safe. */
final class JobNews {
    /** So many troubles of one sort are told of a job; a thousand pods have the same. */
    private static final int ALIKE = 3;

    private static final int NAMES = 5;

    private final Map<String, EventRecorder> recorders = new ConcurrentHashMap<>();
    private final KubeApi api;
    private final InstantSource clock;
    /** What was told of jobs, by reason: about whom. */
    private final Map<JobKey, Map<String, List<String>>> told = new ConcurrentHashMap<>();

    private final SortedMap<String, Long> counters = new TreeMap<>();

    JobNews(KubeApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    private EventRecorder events(String component) {
        return recorders.computeIfAbsent(component, name -> new EventRecorder(api, name, clock));
    }

    private EventRecorder events(ObjectNode job, Framework framework) {
        return events(
                MpiSshJob.is(job) ? MpiSshJob.CONTROLLER : framework.words().controller());
    }

    void forget(JobKey key) {
        told.remove(key);
    }

    void waitsForGangs(ObjectNode job, Gang gang) {
        events("training-operator")
                .warning(
                        job,
                        "FailedCreatePodGroup",
                        "Error creating: the server does not serve " + gang.groups()
                                + "; install the gang scheduler, or" + " start without gang scheduling");
    }

    /** What was made and deleted, or could not be. */
    void done(ObjectNode job, Framework framework, Outcome outcome) {
        for (KubeApi.Kind kind : List.of(Training.PODS, Training.SERVICES)) {
            List<String> made = new ArrayList<>();
            List<String> gone = new ArrayList<>();
            for (Outcome.Done done : outcome.done()) {
                switch (done.step()) {
                    case Step.Create create -> add(made, create.kind(), kind, Training.name(create.object()));
                    case Step.Delete delete -> add(gone, delete.kind(), kind, delete.name());
                    case Step.Update _, Step.Patch _ -> {}
                }
            }
            told(job, framework, "SuccessfulCreate", "Created ", kind, made);
            told(job, framework, "SuccessfulDelete", "Deleted ", kind, gone);
        }
        for (Outcome.Refused refused : outcome.refused()) {
            refused(job, framework, refused);
        }
    }

    private static void add(List<String> names, KubeApi.Kind kind, KubeApi.Kind wanted, String name) {
        if (kind.equals(wanted)) {
            names.add(name);
        }
    }

    private void told(
            ObjectNode job, Framework framework, String reason, String verb, KubeApi.Kind kind, List<String> names) {
        if (names.isEmpty()) {
            return;
        }
        boolean pods = kind.equals(Training.PODS);
        count(pods ? (verb.startsWith("C") ? "created_pods_total" : "deleted_pods_total") : "", names.size());
        String what = pods ? "pod" : "service";
        String message = names.size() == 1
                ? verb + what + ": " + names.getFirst()
                : verb + what + "s: " + String.join(", ", names.subList(0, Math.min(NAMES, names.size())))
                        + (names.size() > NAMES ? " and " + (names.size() - NAMES) + " more" : "");
        events(job, framework).normal(job, reason + (pods ? "Pod" : "Service"), message);
    }

    private void refused(ObjectNode job, Framework framework, Outcome.Refused refused) {
        Step step = refused.step();
        boolean lost = refused.why().code() == 409 && !(step instanceof Step.Create);
        if (lost || refused.why().code() == 404) {
            return; // somebody was quicker
        }
        String what = step.kind().equals(Training.PODS)
                ? "Pod"
                : step.kind().equals(Training.SERVICES) ? "Service" : "PodGroup";
        switch (step) {
            case Step.Create _ ->
                events(job, framework)
                        .warning(
                                job,
                                "FailedCreate" + what,
                                "Error creating: " + refused.why().getMessage());
            case Step.Delete _ ->
                events(job, framework)
                        .warning(
                                job,
                                "FailedDelete" + what,
                                "Error deleting: " + refused.why().getMessage());
            case Step.Update _, Step.Patch _ -> {}
        }
    }

    /** What the engine says about a job. */
    void tell(JobKey key, ObjectNode job, Framework framework, Decision decision) {
        for (Notice notice : decision.notices()) {
            if (isNew(key, notice)) {
                if (notice.warning()) {
                    events(job, framework).warning(job, notice.reason(), notice.message());
                } else {
                    events(job, framework).normal(job, notice.reason(), notice.message());
                }
            }
        }
        decision.marks().forEach(mark -> count(job, framework, mark));
    }

    private boolean isNew(JobKey key, Notice notice) {
        if (notice.about().isEmpty()) {
            return true;
        }
        List<String> already = told.computeIfAbsent(key, _ -> new ConcurrentHashMap<>())
                .computeIfAbsent(notice.reason(), _ -> new ArrayList<>());
        synchronized (already) {
            return already.size() < ALIKE && !already.contains(notice.about()) && already.add(notice.about());
        }
    }

    void deleted(ObjectNode job, Framework framework) {
        events(job, framework)
                .normal(job, "SuccessfulDelete" + framework.deletionWord(), "Deleted job: " + Training.name(job));
    }

    void notDeleted(ObjectNode job, Framework framework, ApiException why) {
        events(job, framework)
                .warning(job, "FailedDelete" + framework.deletionWord(), "Error deleting: " + why.getMessage());
    }

    private void count(ObjectNode job, Framework framework, Decision.Mark mark) {
        if (MpiSshJob.is(job)) {
            count("mpi_operator_jobs_" + mark.word() + "_total", 1);
        }
        count(
                "training_operator_jobs_" + mark.word() + "_total{job_namespace=\"" + Training.namespace(job)
                        + "\",framework=\"" + framework.words().label() + "\"}",
                1);
    }

    private void count(String counter, long many) {
        if (!counter.isEmpty()) {
            synchronized (counters) {
                counters.merge(counter, many, Long::sum);
            }
        }
    }

    /** In Prometheus' text format, under upstream's names. */
    String metrics() {
        Map<String, StringBuilder> byName = new LinkedHashMap<>();
        synchronized (counters) {
            counters.forEach((counter, value) -> {
                String name = counter.replaceAll("\\{.*", "");
                byName.computeIfAbsent(name, _ -> new StringBuilder("# TYPE " + name + " counter\n"))
                        .append(counter)
                        .append(' ')
                        .append(value)
                        .append('\n');
            });
        }
        return String.join("", byName.values());
    }
}
