package lavaflow.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.jobs.Volcano;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A Job of a flow begins after those it depends on, and not after the flow has ended; it is made once, and anew only where somebody deleted it or it may
 * be tried again. In the end a flow says what became of its Jobs, nothing waits that could go on, and nothing is left of flows that are gone.
 */
final class OrderlyFlows implements Invariant {
    private static final String MAX_RETRY = "lavaflow.io/max-retry";

    /** The Job that was last made for a step. */
    private record Made(ObjectNode job, int retries) {}

    private final Workspace workspace;
    /** By the uid of the flow and the name of the Job. */
    private final Map<String, Made> made = new HashMap<>();

    private final Set<String> completed = new HashSet<>();

    OrderlyFlows(Workspace workspace) {
        this.workspace = workspace;
    }

    static boolean isFailed(ObjectNode job) {
        return phase(job).equals("Failed") || phase(job).equals("Terminated");
    }

    static boolean isCompleted(ObjectNode job) {
        return phase(job).equals("Completed");
    }

    private static String phase(ObjectNode object) {
        return Json.textAt(object, "status", "state", "phase");
    }

    private static long mostRetries(ObjectNode flow) {
        String text = Json.textAt(flow, "metadata", "annotations", MAX_RETRY);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static List<JsonNode> steps(ObjectNode flow) {
        return Json.listAt(flow, "spec", "flows").valueStream().toList();
    }

    private static String jobName(ObjectNode flow, String step) {
        return Workspace.name(flow) + "-" + step;
    }

    private static String key(ObjectNode job) {
        return Observer.owner(job) + " " + Workspace.name(job);
    }

    private static @Nullable ObjectNode job(ObjectNode flow, String step, Observer observer) {
        return observer.all(Volcano.JOBS).stream()
                .filter(job -> Observer.owner(job).equals(Observer.uid(flow)))
                .filter(job -> Workspace.name(job).equals(jobName(flow, step)))
                .findFirst()
                .orElse(null);
    }

    // ---- always

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode job = change.after();
        if (job == null || !change.kind().equals(Volcano.JOBS) || !isOfFlow(job)) {
            return;
        }
        if (change.before() == null) {
            begins(job, observer);
        } else {
            made.computeIfPresent(key(job), (_, last) -> new Made(job, last.retries()));
        }
        if (isCompleted(job)) {
            completed.add(key(job));
        }
    }

    private static boolean isOfFlow(ObjectNode job) {
        return Json.listAt(job, "metadata", "ownerReferences")
                .valueStream()
                .anyMatch(owner -> Json.textAt(owner, "kind").equals("JobFlow"));
    }

    private void begins(ObjectNode job, Observer observer) {
        String place = Observer.place(job);
        ObjectNode flow = observer.byUid(FlowWorld.FLOWS, Observer.owner(job));
        if (flow == null) {
            throw new Violation(place + " is made for a flow that is gone");
        }
        Violation.unless(!Observer.isDeleting(flow), () -> place + " is made for a flow that goes");
        Violation.unless(!phase(flow).equals("Succeed"), () -> place + " is made for a flow that has succeeded");
        JsonNode step = steps(flow).stream()
                .filter(each -> jobName(flow, Json.textAt(each, "name")).equals(Workspace.name(job)))
                .findFirst()
                .orElseThrow(() -> new Violation(place + " is no step of its flow"));
        for (JsonNode target : Json.listAt(step, "dependsOn", "targets")) {
            ObjectNode before = job(flow, target.asText(), observer);
            boolean probed = Json.at(step, "dependsOn", "probe") != null;
            Violation.unless(
                    before != null
                            && (isCompleted(before) || (probed && phase(before).equals("Running"))),
                    () -> "%s begins before %s is done".formatted(place, target.asText()));
        }
        made.merge(key(job), new Made(job, 0), (last, _) -> anew(last, job, flow));
    }

    /** A Job is made again because people deleted the last one, or because it failed and may be tried again. */
    private Made anew(Made last, ObjectNode job, ObjectNode flow) {
        if (workspace.isRemoved(Observer.uid(last.job()))) {
            return new Made(job, last.retries());
        }
        Violation.unless(
                isFailed(last.job()),
                () -> "%s is made twice; the first was %s".formatted(Observer.place(job), phase(last.job())));
        int retries = last.retries() + 1;
        Violation.unless(
                retries <= mostRetries(flow),
                () -> "%s is made anew %d times, where %d are allowed"
                        .formatted(Observer.place(job), retries, mostRetries(flow)));
        return new Made(job, retries);
    }

    // ---- in the end

    @Override
    public void atRest(Observer observer) {
        Set<String> owners = new TreeSet<>();
        observer.all(FlowWorld.CRON_JOBS).forEach(cronJob -> owners.add(Observer.uid(cronJob)));
        observer.all(FlowWorld.FLOWS).forEach(flow -> owners.add(Observer.uid(flow)));
        for (ObjectNode job : observer.all(Volcano.JOBS)) {
            Violation.unless(owners.contains(Observer.owner(job)), () -> Observer.place(job) + " is left alone");
        }
        for (ObjectNode flow : observer.all(FlowWorld.FLOWS)) {
            Violation.unless(!Observer.isDeleting(flow), () -> Observer.place(flow) + " does not go");
            tellsTheTruth(flow, observer);
        }
        observer.all(FlowWorld.TEMPLATES).forEach(template -> used(template, observer));
    }

    private void tellsTheTruth(ObjectNode flow, Observer observer) {
        List<ObjectNode> jobs = new ArrayList<>();
        for (JsonNode step : steps(flow)) {
            ObjectNode job = job(flow, Json.textAt(step, "name"), observer);
            if (job != null) {
                jobs.add(job);
            }
        }
        String place = Observer.place(flow);
        String told = phase(flow);
        if (told.equals("Succeed")) {
            succeeded(flow, jobs);
            return;
        }
        boolean failed = jobs.stream().anyMatch(OrderlyFlows::isFailed);
        boolean stopped = jobs.stream().anyMatch(job -> phase(job).equals("Aborted"));
        String right = failed ? "Failed" : "Running";
        Violation.unless(failed || stopped, () -> place + " is " + told + " and does not go on");
        // A flow none of whose Jobs has run yet is pending.
        Violation.unless(
                told.equals(right)
                        || (!failed && told.equals("Pending") && jobs.stream().noneMatch(OrderlyFlows::isCompleted)),
                () -> "%s says %s and is %s".formatted(place, told, right));
        for (ObjectNode job : jobs) {
            Violation.unless(
                    !isFailed(job) || attempt(job) >= mostRetries(flow),
                    () -> Observer.place(job) + " failed and is not tried again");
        }
        lists(flow, jobs);
    }

    private static long attempt(ObjectNode job) {
        String text = Json.textAt(job, "metadata", "annotations", "lavaflow.io/attempt");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private void succeeded(ObjectNode flow, List<ObjectNode> jobs) {
        for (JsonNode step : steps(flow)) {
            String name = jobName(flow, Json.textAt(step, "name"));
            Violation.unless(
                    completed.contains(Observer.uid(flow) + " " + name),
                    () -> "%s says Succeed, and %s never was".formatted(Observer.place(flow), name));
        }
        if (Json.textAt(flow, "spec", "jobRetainPolicy").equals("delete")) {
            Violation.unless(
                    jobs.isEmpty(), () -> Observer.place(flow) + " has succeeded and keeps " + jobs.size() + " Jobs");
        } else {
            lists(flow, jobs);
        }
    }

    private static void lists(ObjectNode flow, List<ObjectNode> jobs) {
        list(flow, jobs, "Completed", "completedJobs");
        list(flow, jobs, "Failed", "failedJobs");
        list(flow, jobs, "Terminated", "terminatedJobs");
        list(flow, jobs, "Aborted", "unKnowJobs");
    }

    private static void list(ObjectNode flow, List<ObjectNode> jobs, String phase, String list) {
        List<String> right = jobs.stream()
                .filter(job -> phase(job).equals(phase))
                .map(Workspace::name)
                .toList();
        List<String> told = Json.listAt(flow, "status", list)
                .valueStream()
                .map(JsonNode::asText)
                .toList();
        Violation.unless(
                right.equals(told),
                () -> "%s: status.%s says %s and not %s".formatted(Observer.place(flow), list, told, right));
    }

    private static void used(ObjectNode template, Observer observer) {
        String label = Workspace.namespace(template) + "." + Workspace.name(template);
        List<String> right = observer.all(Volcano.JOBS).stream()
                .filter(job -> Json.textAt(job, "metadata", "labels", "volcano.sh/createdByJobTemplate")
                        .equals(label))
                .map(Workspace::name)
                .sorted()
                .toList();
        List<String> told = Json.listAt(template, "status", "jobDependsOnList")
                .valueStream()
                .map(JsonNode::asText)
                .toList();
        Violation.unless(
                right.equals(told),
                () -> "%s: its Jobs are %s and not %s".formatted(Observer.place(template), right, told));
    }
}
