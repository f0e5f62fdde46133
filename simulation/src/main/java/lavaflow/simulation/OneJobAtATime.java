package lavaflow.simulation;

import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A CronJob that does not allow two jobs at once never has two, and in the end nobody keeps more ended ones than asked for. */
final class OneJobAtATime implements Invariant {
    private static Stream<ObjectNode> children(ObjectNode cronJob, Observer observer) {
        return observer.all(Kinds.JOBS).stream()
                .filter(job -> Observer.owner(job).equals(Observer.uid(cronJob)));
    }

    private static boolean isOver(ObjectNode job) {
        return Observer.hasCondition(job, "Complete") || Observer.hasCondition(job, "Failed");
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode job = change.after();
        if (job == null || change.before() != null || !change.kind().equals(Kinds.JOBS)) {
            return;
        }
        ObjectNode cronJob = observer.byUid(Kinds.CRON_JOBS, Observer.owner(job));
        if (cronJob == null || Json.textAt(cronJob, "spec", "concurrencyPolicy").equals("Allow")) {
            return;
        }
        List<String> running = children(cronJob, observer)
                .filter(each -> !isOver(each) && !Observer.isDeleting(each))
                .map(Workspace::name)
                .toList();
        Violation.unless(
                running.size() <= 1,
                () -> "%s runs %s at once, which its policy does not allow: %s"
                        .formatted(
                                Observer.place(cronJob), running, Json.textAt(cronJob, "spec", "concurrencyPolicy")));
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode cronJob : observer.all(Kinds.CRON_JOBS)) {
            limit(cronJob, observer, "Complete", "successfulJobsHistoryLimit");
            limit(cronJob, observer, "Failed", "failedJobsHistoryLimit");
            List<String> running = children(cronJob, observer)
                    .filter(each -> !isOver(each))
                    .map(Observer::uid)
                    .sorted()
                    .toList();
            List<String> told = Json.listAt(cronJob, "status", "active")
                    .valueStream()
                    .map(each -> Json.textAt(each, "uid"))
                    .sorted()
                    .toList();
            Violation.unless(
                    running.equals(told),
                    () -> "%s: status.active says %s and not %s".formatted(Observer.place(cronJob), told, running));
        }
    }

    private static void limit(ObjectNode cronJob, Observer observer, String outcome, String field) {
        long most = Json.longAt(cronJob, 0, "spec", field);
        long kept = children(cronJob, observer)
                .filter(job -> Observer.hasCondition(job, outcome))
                .count();
        Violation.unless(
                kept <= most,
                () -> "%s keeps %d jobs, and %s is %d".formatted(Observer.place(cronJob), kept, field, most));
    }
}
