package lavaflow.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.batch.Batch;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** In the end every group and queue tells how far it is, and every Command was followed. */
final class TruePhases implements Invariant {
    @Override
    public void atRest(Observer observer) {
        Map<String, List<ObjectNode>> pods = GangView.byGroup(observer);
        Map<String, Map<String, Long>> phases = new HashMap<>();
        for (ObjectNode group : observer.all(Batch.POD_GROUPS)) {
            group(group, pods.getOrDefault(Observer.place(group), List.of()));
            phases.computeIfAbsent(GangView.queue(group), _ -> new HashMap<>())
                    .merge(Json.textAt(group, "status", "phase"), 1L, Long::sum);
        }
        for (ObjectNode queue : observer.all(Batch.QUEUES)) {
            queue(queue, phases.getOrDefault(Workspace.name(queue), Map.of()));
        }
        observer.all(Batch.COMMANDS).forEach(command -> {
            throw new Violation("nobody follows " + Workspace.name(command));
        });
    }

    private static void group(ObjectNode group, List<ObjectNode> pods) {
        String place = Observer.place(group);
        long running = pods.stream().filter(GangView::holdsRoom).count();
        long succeeded = count(pods, "Succeeded");
        long failed = count(pods, "Failed");
        long placed = running + succeeded + failed;
        tell(group, "running", running);
        tell(group, "succeeded", succeeded);
        tell(group, "failed", failed);
        boolean enough = placed > 0 && placed >= GangView.minMember(group);
        List<String> right = !enough
                ? List.of("Pending", "Inqueue")
                : running == 0 ? List.of("Completed") : List.of("Running", "Unknown");
        String phase = Json.textAt(group, "status", "phase");
        Violation.unless(
                right.contains(phase) || (pods.isEmpty() && !phase.equals("Running")),
                () -> "%s says %s, and %d of its pods are on nodes, %d have ended, where %d are needed"
                        .formatted(place, phase, running, succeeded + failed, GangView.minMember(group)));
    }

    private static void tell(ObjectNode group, String field, long number) {
        long told = Json.longAt(group, 0, "status", field);
        Violation.unless(
                told == number,
                () -> "%s says %d pods are %s, and %d are".formatted(Observer.place(group), told, field, number));
    }

    private static long count(List<ObjectNode> pods, String phase) {
        return pods.stream()
                .filter(pod -> Json.textAt(pod, "status", "phase").equals(phase))
                .count();
    }

    private static void queue(ObjectNode queue, Map<String, Long> phases) {
        String name = Workspace.name(queue);
        for (String phase : List.of("Pending", "Inqueue", "Running", "Unknown", "Completed")) {
            String field = phase.toLowerCase(Locale.ROOT);
            long told = Json.longAt(queue, 0, "status", field);
            long number = phases.getOrDefault(phase, 0L);
            Violation.unless(
                    told == number,
                    () -> "the queue %s says %d groups are %s, and %d are".formatted(name, told, field, number));
        }
        String state = Json.textAt(queue, "status", "state");
        Violation.unless(state.equals("Open"), () -> "the queue %s is %s".formatted(name, state));
    }
}
