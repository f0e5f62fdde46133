package lavaflow.scheduler;

import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What choosing nodes needs to know of a pod.
 *
 * @param key what its {@link PodClass} is known by
 * @param node empty for one that waits for a node
 * @param waits a pod for this scheduler that may be given a node
 * @param started null where it has not
 * @param condition reason and message of PodScheduled, to not write the same again
 */
record ScheduledPod(
        String uid,
        String namespace,
        String name,
        ObjectNode key,
        String node,
        String nominated,
        int priority,
        boolean preempts,
        boolean waits,
        boolean deleting,
        boolean finished,
        Instant created,
        @Nullable Instant started,
        String condition,
        long generation) {
    static final String SCHEDULER = "default-scheduler";

    static ScheduledPod of(ObjectNode pod) {
        JsonNode metadata = Json.at(pod, "metadata");
        JsonNode spec = Json.at(pod, "spec");
        String phase = Json.textAt(pod, "status", "phase");
        String node = Json.textAt(spec, "nodeName");
        boolean deleting = Json.at(metadata, "deletionTimestamp") != null;
        boolean finished = phase.equals("Succeeded") || phase.equals("Failed");
        boolean waits = node.isEmpty()
                && !deleting
                && !finished
                && Json.textAt(spec, "schedulerName").equals(SCHEDULER)
                && Json.listAt(spec, "schedulingGates").isEmpty();
        String started = Json.textAt(pod, "status", "startTime");
        return new ScheduledPod(
                Json.textAt(metadata, "uid"),
                Json.textAt(metadata, "namespace"),
                Json.textAt(metadata, "name"),
                PodClass.key(pod),
                node,
                Json.textAt(pod, "status", "nominatedNodeName"),
                (int) Json.longAt(spec, 0, "priority"),
                !Json.textAt(spec, "preemptionPolicy").equals("Never"),
                waits,
                deleting,
                finished,
                time(Json.textAt(metadata, "creationTimestamp")),
                started.isEmpty() ? null : time(started),
                condition(pod),
                Json.longAt(metadata, 0, "generation"));
    }

    private static String condition(ObjectNode pod) {
        for (JsonNode condition : Json.listAt(pod, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("PodScheduled")
                    && Json.textAt(condition, "status").equals("False")) {
                return Json.textAt(condition, "reason") + ": " + Json.textAt(condition, "message");
            }
        }
        return "";
    }

    private static Instant time(String text) {
        try {
            return GoTime.parseSeconds(text);
        } catch (MalformedException e) {
            return Instant.EPOCH;
        }
    }

    /** Takes room on its node. */
    boolean occupies() {
        return !node.isEmpty() && !finished;
    }

    String place() {
        return namespace + "/" + name;
    }

    /** The same with the key of its class: pods of a class need not keep one each. */
    ScheduledPod of(PodClass type) {
        return new ScheduledPod(
                uid,
                namespace,
                name,
                type.key,
                node,
                nominated,
                priority,
                preempts,
                waits,
                deleting,
                finished,
                created,
                started,
                condition,
                generation);
    }

    ScheduledPod on(String chosen) {
        return new ScheduledPod(
                uid,
                namespace,
                name,
                key,
                chosen,
                "",
                priority,
                preempts,
                false,
                deleting,
                finished,
                created,
                started,
                condition,
                generation);
    }
}
