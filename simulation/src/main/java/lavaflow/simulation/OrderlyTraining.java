package lavaflow.simulation;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Training jobs that have ended stay as they ended and get no more pods; none restarts more often than it may; in the end all have ended, what
 * their policy wants cleaned is, and nothing is left of those that are gone.
 */
final class OrderlyTraining implements Invariant {
    private static final Set<String> ENDS = Set.of("Succeeded", "Failed");

    @Override
    public void after(Observer.Change change, Observer observer) {
        ObjectNode before = change.before();
        ObjectNode after = change.after();
        if (after == null) {
            return;
        }
        if (TrainingWorld.JOBS.contains(change.kind()) && before != null) {
            goesOn(before, after);
        } else if (change.kind().equals(Kinds.PODS) && before == null) {
            isWanted(after, observer);
        }
    }

    private static String end(ObjectNode job) {
        return ENDS.stream()
                .filter(type -> Observer.hasCondition(job, type))
                .sorted()
                .reduce("", String::concat);
    }

    private static void goesOn(ObjectNode before, ObjectNode after) {
        String place = Observer.place(after);
        String was = end(before);
        String is = end(after);
        Violation.unless(was.isEmpty() || was.equals(is), () -> "%s was %s and is %s".formatted(place, was, is));
        Violation.unless(is.isEmpty() || ENDS.contains(is), () -> place + " has ended both ways");
        Violation.unless(
                !Observer.hasCondition(before, "Created") || Observer.hasCondition(after, "Created"),
                () -> place + " was never made");
        Violation.unless(
                is.isEmpty() || !Observer.hasCondition(after, "Running"), () -> place + " has ended and is running");
        for (Map.Entry<String, JsonNode> type :
                after.path("status").path("replicaStatuses").properties()) {
            for (String count : Set.of("active", "succeeded", "failed")) {
                Violation.unless(
                        Json.longAt(type.getValue(), 0, count) >= 0,
                        () -> "%s counts %s".formatted(place, type.getValue()));
            }
        }
    }

    private static @Nullable ObjectNode job(String uid, Observer observer) {
        for (KubeApi.Kind kind : TrainingWorld.JOBS) {
            ObjectNode found = observer.byUid(kind, uid);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static void isWanted(ObjectNode pod, Observer observer) {
        ObjectNode job = job(Observer.owner(pod), observer);
        if (job != null) { // else deleted while it was made; it goes with it
            Violation.unless(
                    end(job).isEmpty(),
                    () -> "%s is made for a job that has %s".formatted(Observer.place(pod), end(job)));
        }
    }

    @Override
    public void atRest(Observer observer) {
        Map<String, ObjectNode> jobs = new TreeMap<>();
        for (KubeApi.Kind kind : TrainingWorld.JOBS) {
            observer.all(kind).forEach(job -> jobs.put(Observer.uid(job), job));
        }
        for (ObjectNode job : jobs.values()) {
            Violation.unless(!Observer.isDeleting(job), () -> Observer.place(job) + " does not go");
            Violation.unless(!end(job).isEmpty(), () -> Observer.place(job) + " does not go on");
            Violation.unless(
                    Json.at(job, "spec", "runPolicy", "ttlSecondsAfterFinished") == null,
                    () -> Observer.place(job) + " has ended and is still there");
        }
        for (ObjectNode pod : observer.all(Kinds.PODS)) {
            ObjectNode job = jobs.get(Observer.owner(pod));
            if (job == null) {
                throw new Violation(Observer.place(pod) + " is left alone");
            }
            String policy = Json.textAt(job, "spec", "runPolicy", "cleanPodPolicy");
            Violation.unless(
                    switch (policy) {
                        case "All" -> false;
                        case "Running" -> Observer.isFinished(pod);
                        default -> true;
                    },
                    () -> "%s is left although %s is to be cleaned".formatted(Observer.place(pod), policy));
        }
        for (KubeApi.Kind kind : Set.of(Kinds.SERVICES, Kinds.CONFIG_MAPS)) {
            for (ObjectNode each : observer.all(kind)) {
                Violation.unless(
                        Observer.owner(each).isEmpty() || jobs.containsKey(Observer.owner(each)),
                        () -> Observer.place(each) + " is left alone");
            }
        }
        observer.all(Batch.POD_GROUPS).forEach(group -> {
            throw new Violation(Observer.place(group) + " is left");
        });
    }
}
