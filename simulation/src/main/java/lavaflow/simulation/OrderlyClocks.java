package lavaflow.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A CronJob of Volcano's makes one Job for a minute at most, never two at once where its policy does not allow it; in the end it lists those that
 * go on and keeps no more of the others than it should, and nothing is left of one that is gone.
 */
final class OrderlyClocks implements Invariant {
    private final Workspace workspace;
    /** The uid of the Job that a CronJob, by its uid, has made for a minute. */
    private final Map<String, String> minutes = new HashMap<>();

    OrderlyClocks(Workspace workspace) {
        this.workspace = workspace;
    }

    private static Stream<ObjectNode> children(ObjectNode cronJob, Observer observer) {
        return observer.all(Volcano.JOBS).stream()
                .filter(job -> Observer.owner(job).equals(Observer.uid(cronJob)));
    }

    private static boolean isOver(ObjectNode job) {
        return OrderlyFlows.isFailed(job) || OrderlyFlows.isCompleted(job);
    }

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode job = change.after();
        if (job == null || change.before() != null || !change.kind().equals(Volcano.JOBS)) {
            return;
        }
        ObjectNode cronJob = observer.byUid(FlowWorld.CRON_JOBS, Observer.owner(job));
        if (cronJob == null) {
            return;
        }
        String earlier = minutes.put(Observer.uid(cronJob) + " " + Workspace.name(job), Observer.uid(job));
        // Who did not hear that it was made, and finds it deleted, cannot know.
        Violation.unless(earlier == null || workspace.isRemoved(earlier), () -> Observer.place(job) + " is made twice");
        String policy = Json.textAt(cronJob, "spec", "concurrencyPolicy");
        List<String> running = children(cronJob, observer)
                .filter(each -> !isOver(each) && !Observer.isDeleting(each))
                .map(Workspace::name)
                .toList();
        Violation.unless(
                running.size() <= 1 || policy.equals("Allow"),
                () -> "%s runs %s at once, which its policy does not allow: %s"
                        .formatted(Observer.place(cronJob), running, policy));
    }

    @Override
    public void atRest(Observer observer) {
        for (ObjectNode cronJob : observer.all(FlowWorld.CRON_JOBS)) {
            Violation.unless(!Observer.isDeleting(cronJob), () -> Observer.place(cronJob) + " does not go");
            limit(cronJob, children(cronJob, observer).filter(OrderlyFlows::isCompleted), "successfulJobsHistoryLimit");
            limit(cronJob, children(cronJob, observer).filter(OrderlyFlows::isFailed), "failedJobsHistoryLimit");
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

    private static void limit(ObjectNode cronJob, Stream<ObjectNode> ended, String field) {
        long most = Json.longAt(cronJob, 0, "spec", field);
        long kept = ended.count();
        Violation.unless(
                kept <= most,
                () -> "%s keeps %d Jobs, and %s is %d".formatted(Observer.place(cronJob), kept, field, most));
    }
}
