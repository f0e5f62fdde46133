package lavaflow.scheduler;

import java.time.Instant;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What schedulers send to the API about pods. */
final class PodWrites {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private PodWrites() {}

    /** What an event about a pod says of it. */
    static ObjectNode reference(ScheduledPod pod) {
        ObjectNode about = Json.object().put("kind", "Pod").put("apiVersion", "v1");
        about.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid())
                .put("resourceVersion", pod.revision());
        return about;
    }

    /** Gives a pod its node. */
    static ObjectNode binding(ScheduledPod pod, String node) {
        ObjectNode binding = Json.object().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        return binding;
    }

    /** What became of a pod whose binding failed. */
    enum Aftermath {
        WAITS,
        /** The binding was made after all, or another one. */
        BOUND,
        /** It is not there any more, or about to go; the watch may tell only later. */
        GONE
    }

    /** Asks the API where the failure does not say: an answer may be lost after everything was done, and the watch may be late. */
    static Aftermath aftermath(KubeApi api, ScheduledPod pod, ApiException failure) {
        int code = failure.code();
        if (code >= 400 && code < 500 && code != CONFLICT) {
            return code == NOT_FOUND ? Aftermath.GONE : Aftermath.WAITS;
        }
        return api.find(Scheduler.PODS, pod.namespace(), pod.name())
                .filter(now ->
                        Inbox.uid(now).equals(pod.uid()) && Json.at(now, "metadata", "deletionTimestamp") == null)
                .map(now -> Json.textAt(now, "spec", "nodeName").isEmpty() ? Aftermath.WAITS : Aftermath.BOUND)
                .orElse(Aftermath.GONE);
    }

    /**
     * Tells why a pod has no node.
     *
     * @param node where it is expected; empty if nowhere
     */
    static ObjectNode unscheduled(ScheduledPod pod, String reason, String message, String node, Instant now) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid());
        ObjectNode status = Json.ensureObject(patch, "status");
        ObjectNode condition = status.putArray("conditions").addObject();
        condition.put("type", "PodScheduled").put("status", "False");
        condition.put("observedGeneration", pod.generation());
        if (pod.condition().isEmpty()) {
            condition.put("lastTransitionTime", GoTime.seconds(now));
        }
        condition.put("reason", reason).put("message", message);
        if (!pod.nominated().equals(node)) {
            status.put("nominatedNodeName", node);
        }
        return patch;
    }

    /** Tells that a pod of a gang has to go, in Volcano's words. */
    static ObjectNode evicted(ScheduledPod pod, String message, Instant now) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid());
        ArrayNode conditions = Json.ensureObject(patch, "status").putArray("conditions");
        condition(conditions.addObject(), "Ready", "False", pod, now)
                .put("reason", "Evict")
                .put("message", message);
        condition(conditions.addObject(), "DisruptionTarget", "True", pod, now)
                .put("reason", "PreemptionByScheduler")
                .put("message", GangWriter.COMPONENT + ": preempting to accommodate a higher priority pod");
        return patch;
    }

    private static ObjectNode condition(
            ObjectNode condition, String type, String status, ScheduledPod pod, Instant now) {
        return condition
                .put("type", type)
                .put("status", status)
                .put("observedGeneration", pod.generation())
                .put("lastTransitionTime", GoTime.seconds(now));
    }
}
