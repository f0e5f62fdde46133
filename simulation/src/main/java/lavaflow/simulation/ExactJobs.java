package lavaflow.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A job counts every pod that ended, once, for its index; and has ended the way its pods have. */
final class ExactJobs implements Invariant {
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    private static final String FAILURES = "batch.kubernetes.io/job-index-failure-count";

    /** What became of the pods of a job, by index; -1 where pods have none. */
    private static final class Ends {
        private final Map<Integer, Set<String>> succeeded = new TreeMap<>();
        private final Map<Integer, Set<String>> failed = new TreeMap<>();

        static int count(Map<Integer, Set<String>> ends) {
            return ends.values().stream().mapToInt(Set::size).sum();
        }
    }

    private final Map<String, Ends> known = new HashMap<>();

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode after = change.after();
        if (change.kind().equals(Kinds.JOBS) && after != null) {
            judge(after);
            return;
        }
        ObjectNode pod = after == null ? change.before() : after;
        if (pod == null
                || !change.kind().equals(Kinds.PODS)
                || Observer.owner(pod).isEmpty()) {
            return;
        }
        if (change.before() == null) {
            judgeAttempt(pod, observer);
        }
        Ends ends = known.computeIfAbsent(Observer.owner(pod), _ -> new Ends());
        if (Json.textAt(pod, "status", "phase").equals("Succeeded")) {
            ends.succeeded.computeIfAbsent(index(pod), _ -> new HashSet<>()).add(Observer.uid(pod));
        } else if (Observer.isFinished(pod) || Observer.isDeleting(pod) || after == null) {
            ends.failed.computeIfAbsent(index(pod), _ -> new HashSet<>()).add(Observer.uid(pod));
        }
    }

    /** A pod says how often its index has failed before. */
    private static void judgeAttempt(ObjectNode pod, Observer observer) {
        String failures = Json.textAt(pod, "metadata", "annotations", FAILURES);
        ObjectNode job = observer.byUid(Kinds.JOBS, Observer.owner(pod));
        if (failures.isEmpty() || job == null) {
            return;
        }
        Violation.unless(
                Long.parseLong(failures) <= Json.longAt(job, 0, "spec", "backoffLimitPerIndex"),
                () -> "%s tries index %d again after %s failures".formatted(Observer.place(job), index(pod), failures));
    }

    private static int index(ObjectNode pod) {
        String written = Json.textAt(pod, "metadata", "annotations", INDEX);
        return written.isEmpty() ? -1 : Integer.parseInt(written);
    }

    /** The numbers in {@code 0-2,5}. */
    private static Set<Integer> indexes(String text) {
        Set<Integer> indexes = new TreeSet<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int last = Integer.parseInt(dash < 0 ? part : part.substring(dash + 1));
            for (int i = first; i <= last; i++) {
                indexes.add(i);
            }
        }
        return indexes;
    }

    @Override
    public void atRest(Observer observer) {
        observer.all(Kinds.JOBS).forEach(this::judge);
    }

    private void judge(ObjectNode job) {
        String name = Observer.place(job);
        Ends ends = known.getOrDefault(Observer.uid(job), new Ends());
        long succeeded = Json.longAt(job, 0, "status", "succeeded");
        long failed = Json.longAt(job, 0, "status", "failed");
        // A job that gives up counts whom it stops, and some may have ended well without its knowledge.
        boolean stops = Observer.hasCondition(job, "Failed") || Observer.hasCondition(job, "FailureTarget");
        long most = Ends.count(ends.failed) + (stops ? Ends.count(ends.succeeded) - succeeded : 0);
        Violation.unless(
                succeeded <= Ends.count(ends.succeeded) && failed <= most,
                () -> "%s counts %d and %d pods, and %d have ended well and %d badly"
                        .formatted(name, succeeded, failed, Ends.count(ends.succeeded), Ends.count(ends.failed)));
        boolean indexed = Json.textAt(job, "spec", "completionMode").equals("Indexed");
        Set<Integer> completed = indexes(Json.textAt(job, "status", "completedIndexes"));
        if (indexed) {
            judgeIndexes(job, ends, completed);
        }
        if (Observer.hasCondition(job, "Complete")) {
            long wanted = Json.longAt(job, 1, "spec", "completions");
            boolean early = Json.at(job, "spec", "successPolicy") != null && completed.contains(0);
            Violation.unless(
                    succeeded == wanted || (!indexed && succeeded > wanted) || early,
                    () -> "%s is complete with %d of %d".formatted(name, succeeded, wanted));
            Violation.unless(
                    Json.at(job, "spec", "successPolicy") == null || isByPolicy(job),
                    () -> "%s has met its success policy and does not say so".formatted(name));
        }
    }

    /** All policies here ask for less than all indexes. */
    private static boolean isByPolicy(ObjectNode job) {
        return Json.listAt(job, "status", "conditions")
                .valueStream()
                .anyMatch(condition -> Json.textAt(condition, "type").equals("SuccessCriteriaMet")
                        && Json.textAt(condition, "reason").equals("SuccessPolicy"));
    }

    private static void judgeIndexes(ObjectNode job, Ends ends, Set<Integer> completed) {
        String name = Observer.place(job);
        long succeeded = Json.longAt(job, 0, "status", "succeeded");
        Violation.unless(
                completed.size() == succeeded && ends.succeeded.keySet().containsAll(completed),
                () -> "%s counts %d pods of the indexes %s, and pods of %s have ended well"
                        .formatted(name, succeeded, completed, ends.succeeded.keySet()));
        Set<Integer> failed = indexes(Json.textAt(job, "status", "failedIndexes"));
        long limit = Json.longAt(job, 0, "spec", "backoffLimitPerIndex");
        for (int index : failed) {
            int seen = ends.failed.getOrDefault(index, Set.of()).size();
            boolean judged = Json.at(job, "spec", "podFailurePolicy") != null;
            Violation.unless(
                    seen > (judged ? 0 : limit) && !completed.contains(index),
                    () -> "%s gives index %d up after %d failures, and %s have ended well"
                            .formatted(name, index, seen, completed));
        }
    }
}
