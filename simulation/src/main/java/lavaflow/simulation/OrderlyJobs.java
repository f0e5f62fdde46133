package lavaflow.simulation;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.batch.Batch;
import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Volcano's Jobs go from phase to phase as they should, never back from their end; each of their pods is made for a place that is
 * free; in the end all have ended or were stopped, their numbers are true, and nothing is left of what only living Jobs need.
 */
final class OrderlyJobs implements Invariant {
    private static final Set<String> FINISHED = Set.of("Completed", "Failed", "Terminated");

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode before = change.before();
        ObjectNode after = change.after();
        if (after == null) {
            return;
        }
        if (change.kind().equals(Volcano.JOBS) && before != null) {
            goesOn(before, after);
        } else if (change.kind().equals(Kinds.PODS) && before == null) {
            isWanted(after, observer);
        }
    }

    private static String phase(@Nullable ObjectNode job) {
        return Json.textAt(job, "status", "state", "phase");
    }

    private static void goesOn(ObjectNode before, ObjectNode after) {
        String place = Observer.place(after);
        String was = phase(before);
        String is = phase(after);
        Violation.unless(
                !FINISHED.contains(was) || was.equals(is), () -> "%s was %s and is %s".formatted(place, was, is));
        Violation.unless(
                !was.equals("Aborted") || is.equals("Aborted") || is.equals("Restarting"),
                () -> "%s was Aborted and is %s".formatted(place, is));
        long retries = number(after, "retryCount") - number(before, "retryCount");
        Violation.unless(
                retries == 0 || (retries == 1 && hasRestarted(after)),
                () -> "%s is %s after %d retries at once".formatted(place, is, retries));
        Violation.unless(
                number(after, "version") >= number(before, "version"), () -> place + " is of an older version");
    }

    /** Where no pod had to go it may be further by now. */
    private static boolean hasRestarted(ObjectNode job) {
        return Json.listAt(job, "status", "conditions")
                .findValuesAsText("status")
                .contains("Restarting");
    }

    private static long number(ObjectNode job, String field) {
        return Json.longAt(job, 0, "status", field);
    }

    /** A pod is made of the version its Job has, and not for a Job that has come to its end. */
    private static void isWanted(ObjectNode pod, Observer observer) {
        ObjectNode job = observer.byUid(Volcano.JOBS, Observer.owner(pod));
        if (job == null) {
            return; // deleted while it was made; it goes with it
        }
        Violation.unless(
                List.of("Pending", "Running", "Restarting").contains(phase(job)),
                () -> "%s is made for a Job that is %s".formatted(Observer.place(pod), phase(job)));
        String version = Json.textAt(pod, "metadata", "annotations", "volcano.sh/job-version");
        Violation.unless(
                version.equals(Long.toString(number(job, "version"))),
                () -> "%s is made of version %s, its Job has %d"
                        .formatted(Observer.place(pod), version, number(job, "version")));
    }

    @Override
    public void atRest(Observer observer) {
        Set<String> uids = new TreeSet<>();
        for (ObjectNode job : observer.all(Volcano.JOBS)) {
            uids.add(Observer.uid(job));
            Violation.unless(!Observer.isDeleting(job), () -> Observer.place(job) + " does not go");
            String phase = phase(job);
            Violation.unless(
                    FINISHED.contains(phase) || phase.equals("Aborted"),
                    () -> "%s is %s and does not go on".formatted(Observer.place(job), phase));
            Violation.unless(
                    phase.equals("Aborted") || Json.at(job, "spec", "ttlSecondsAfterFinished") == null,
                    () -> Observer.place(job) + " has ended and is still there");
            numbers(job, observer);
        }
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            Violation.unless(uids.contains(Observer.owner(pod)), () -> Observer.place(pod) + " is left alone");
            Violation.unless(Observer.isFinished(pod), () -> Observer.place(pod) + " goes on for nobody");
        }
        observer.all(Batch.POD_GROUPS).forEach(group -> {
            throw new Violation(Observer.place(group) + " is left");
        });
        observer.all(Batch.COMMANDS).forEach(command -> {
            throw new Violation("nobody follows " + Observer.place(command));
        });
        for (ObjectNode service : observer.all(Kinds.SERVICES)) {
            Violation.unless(Observer.owner(service).isEmpty(), () -> Observer.place(service) + " is left");
        }
    }

    /** Pods that are gone count for as much as was told of them. */
    private static void numbers(ObjectNode job, Observer observer) {
        for (String field : List.of("pending", "running", "terminating", "unknown")) {
            Violation.unless(
                    number(job, field) == 0,
                    () -> "%s says that %d pods are %s".formatted(Observer.place(job), number(job, field), field));
        }
        for (String phase : List.of("Succeeded", "Failed")) {
            long there = observer.all(Kinds.PODS).stream()
                    .filter(pod -> Observer.owner(pod).equals(Observer.uid(job)))
                    .filter(pod -> Json.textAt(pod, "status", "phase").equals(phase))
                    .count();
            long told = 0;
            for (JsonNode task : Json.at(job, "status", "taskStatusCount") == null
                    ? Json.array()
                    : job.path("status").path("taskStatusCount")) {
                told += Json.longAt(task, 0, "phase", phase);
            }
            long counted = told;
            Violation.unless(
                    counted >= there,
                    () -> "%s says that %d pods have %s, and %d have"
                            .formatted(Observer.place(job), counted, phase, there));
        }
    }
}
