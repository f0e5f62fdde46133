package lavaflow.placement;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
 * @param revision what events are about
 * @param devices annotations that say which devices of its node it has
 */
public record ScheduledPod(
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
        long generation,
        String revision,
        Map<String, String> devices) {
    public static final String SCHEDULER = "default-scheduler";
    private static final List<String> DEVICES =
            List.of("volcano.sh/gpu-index", "volcano.sh/vgpu-ids-new", "volcano.sh/topology-decision");

    public static ScheduledPod of(ObjectNode pod) {
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
                Json.longAt(metadata, 0, "generation"),
                Json.textAt(metadata, "resourceVersion"),
                devices(metadata));
    }

    private static Map<String, String> devices(@Nullable JsonNode metadata) {
        Map<String, String> devices = null;
        for (String key : DEVICES) {
            String text = Json.textAt(metadata, "annotations", key);
            if (!text.isEmpty()) {
                devices = devices == null ? new LinkedHashMap<>() : devices;
                devices.put(key, text);
            }
        }
        return devices == null ? Map.of() : devices;
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
    public boolean occupies() {
        return !node.isEmpty() && !finished;
    }

    public String place() {
        return namespace + "/" + name;
    }

    /** The same with what it has in common with other pods of its class: they need not keep one each. */
    public ScheduledPod of(PodClass type) {
        return of(type, node);
    }

    ScheduledPod of(PodClass type, String its) {
        return with(type.namespace, type.key, its, nominated, waits, deleting);
    }

    /** The same while it is being deleted. */
    public ScheduledPod going() {
        return with(namespace, key, node, nominated, false, true);
    }

    public ScheduledPod on(String chosen) {
        return with(namespace, key, chosen, "", false, deleting);
    }

    /** The same while others make room for it on a node. */
    public ScheduledPod expectedOn(String awaited) {
        return with(namespace, key, node, awaited, waits, deleting);
    }

    /** Another pod like this one, new and without a node. */
    public ScheduledPod another(String its) {
        return new ScheduledPod(
                its, namespace, its, key, "", "", priority, preempts, waits, false, false, created, null, "", 0, "",
                Map.of());
    }

    private ScheduledPod with(
            String itsNamespace,
            ObjectNode itsKey,
            String itsNode,
            String itsNominated,
            boolean itWaits,
            boolean isDeleting) {
        return new ScheduledPod(
                uid,
                itsNamespace,
                name,
                itsKey,
                itsNode,
                itsNominated,
                priority,
                preempts,
                itWaits,
                isDeleting,
                finished,
                created,
                started,
                condition,
                generation,
                revision,
                devices);
    }
}
