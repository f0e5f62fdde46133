package lavaflow.scheduler;

import java.time.InstantSource;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.QueuedEvents;
import lavaflow.gang.GroupSpec;
import lavaflow.gang.GroupStatus;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what was decided about gangs; about each pod, group and queue in the order of the decisions. */
final class GangWriter {
    private static final Logger LOG = LoggerFactory.getLogger(GangWriter.class);
    /** Who speaks in events, as upstream. */
    static final String COMPONENT = "volcano";

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int NOT_ALLOWED = 405;

    /** Hears, on any thread, of what could not be written. */
    interface Troubles {
        /** A pod did not get its node. */
        void bindingFailed(String uid);

        /** A pod that was to get its node is not there any more, which the watch has yet to tell. */
        void gone(String uid);

        /** Nobody can say at the moment whether a pod got its node. */
        void bindingUnknown(ScheduledPod pod, String node);

        /** A pod may not go; a server that is busy may let it go a moment later. */
        void evictionFailed(String uid, boolean busy);

        void statusFailed(String group);

        void waitFailed(String uid);

        void queueFailed(String queue);
    }

    private final KubeApi api;
    private final InstantSource clock;
    private final OrderedWrites writes;
    private final Troubles troubles;
    private final GangMetrics metrics;
    private final ClaimWriter claims;
    private final QueuedEvents events;

    GangWriter(
            KubeApi api,
            InstantSource clock,
            Writer.Threads threads,
            ClaimWriter claims,
            GangMetrics metrics,
            Troubles troubles) {
        this.api = api;
        this.clock = clock;
        this.writes = new OrderedWrites(threads);
        this.claims = claims;
        this.troubles = troubles;
        this.metrics = metrics;
        this.events = new QueuedEvents(api, COMPONENT, clock);
    }

    private void write(String about, Runnable task, Consumer<ApiException> failed) {
        writes.write(about, () -> {
            try {
                task.run();
            } catch (ApiException e) {
                failed.accept(e);
            } catch (RuntimeException e) {
                LOG.error("{} could not be written", about, e);
                failed.accept(ApiException.internal(String.valueOf(e.getMessage())));
            }
        });
    }

    // ---- pods ----

    /**
     * Gives a pod its node.
     *
     * @param annotations what is written on it before; mostly empty
     */
    void bind(ScheduledPod pod, String node, ObjectNode annotations) {
        claims.prepare(pod);
        write(
                pod.uid(),
                () -> {
                    long began = metrics.time();
                    if (!annotations.isEmpty()) {
                        annotate(pod, annotations);
                    }
                    claims.reserve(pod);
                    api.post(Scheduler.PODS, pod.namespace(), pod.name(), "binding", PodWrites.binding(pod, node));
                    claims.done(pod);
                    metrics.bound(pod, began, clock.instant());
                    events.normal(
                            PodWrites.reference(pod),
                            "Scheduled",
                            "Successfully assigned " + pod.place() + " to " + node);
                },
                e -> unbound(pod, node, e));
    }

    /** Has the devices of a pod made ready on its node. */
    void prepare(ScheduledPod pod, String node) {
        claims.prepare(pod);
        write(
                pod.uid(),
                () -> {
                    claims.reserve(pod);
                    events.normal(PodWrites.reference(pod), "BindingConditionsPending", Writer.DEVICES_PENDING + node);
                },
                e -> unbound(pod, node, e));
    }

    /** Nothing comes of what was written for a pod. */
    void release(ScheduledPod pod) {
        write(pod.uid(), () -> claims.refresh(pod, true), e -> LOG.debug("{}: {}", pod.place(), e.getMessage()));
    }

    private void annotate(ScheduledPod pod, ObjectNode annotations) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "metadata").put("uid", pod.uid()).set("annotations", annotations);
        api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "", KubeApi.Merge.PLAIN, patch);
    }

    /** Finds out again whether a pod got its node. */
    void findOut(ScheduledPod pod, String node) {
        writes.write(pod.uid(), () -> unbound(pod, node, ApiException.internal("the answer is unknown")));
    }

    private void unbound(ScheduledPod pod, String node, ApiException e) {
        PodWrites.Aftermath aftermath;
        try {
            aftermath = PodWrites.aftermath(api, pod, e);
            claims.refresh(pod, aftermath == PodWrites.Aftermath.WAITS);
        } catch (RuntimeException unknown) {
            LOG.debug("{}: {}", pod.place(), unknown.getMessage());
            troubles.bindingUnknown(pod, node);
            return;
        }
        switch (aftermath) {
            case WAITS -> {
                metrics.unbound();
                LOG.warn("{} could not be bound to {}: {}", pod.place(), node, e.getMessage());
                events.warning(PodWrites.reference(pod), "FailedScheduling", "binding rejected: " + e.getMessage());
                troubles.bindingFailed(pod.uid());
            }
            case GONE -> troubles.gone(pod.uid());
            case BOUND -> LOG.debug("{} has its node although {}", pod.place(), e.getMessage());
        }
    }

    /** Tells why a pod has no node, unless it says so already. */
    void tell(ScheduledPod pod, String reason, String message, String node) {
        if (pod.condition().equals(reason + ": " + message) && pod.nominated().equals(node)) {
            return;
        }
        write(
                pod.uid(),
                () -> {
                    ObjectNode patch = PodWrites.unscheduled(pod, reason, message, node, clock.instant());
                    api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, patch);
                    events.warning(PodWrites.reference(pod), "FailedScheduling", message);
                },
                e -> {
                    LOG.debug("{}: {}", pod.place(), e.getMessage());
                    if (e.code() != NOT_FOUND) {
                        troubles.waitFailed(pod.uid());
                    }
                });
    }

    /** Has a pod go, as far as disruption budgets allow; where nobody serves evictions it is deleted. */
    void evict(ScheduledPod pod, ObjectNode group, String why) {
        write(
                pod.uid(),
                () -> {
                    try {
                        api.post(Scheduler.PODS, pod.namespace(), pod.name(), "eviction", eviction(pod));
                    } catch (ApiException e) {
                        if (e.code() != NOT_ALLOWED) {
                            throw e;
                        }
                        api.delete(Scheduler.PODS, pod.namespace(), pod.name(), KubeApi.Deletion.ofUid(pod.uid()));
                    }
                    String message = "Pod is evicted, because of " + why;
                    mark(pod, message);
                    events.warning(PodWrites.reference(pod), "Evict", message);
                    events.normal(group, "Evict", why);
                },
                e -> {
                    LOG.debug("{} not evicted: {}", pod.place(), e.getMessage());
                    troubles.evictionFailed(pod.uid(), EvictionPauses.isBusy(e));
                });
    }

    /**
     * Says in a pod that was told to go who wanted it. Afterwards: one that a budget keeps must not look as if it went, and the Eviction API would
     * give its own reason.
     */
    private void mark(ScheduledPod pod, String message) {
        try {
            ObjectNode patch = PodWrites.evicted(pod, message, clock.instant());
            api.patch(Scheduler.PODS, pod.namespace(), pod.name(), "status", KubeApi.Merge.STRATEGIC, patch);
        } catch (ApiException e) {
            // Gone already, or another one by now: it need not be told.
            LOG.debug("{}: {}", pod.place(), e.getMessage());
        }
    }

    private static ObjectNode eviction(ScheduledPod pod) {
        ObjectNode eviction = Json.object().put("apiVersion", "policy/v1").put("kind", "Eviction");
        eviction.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
        Json.ensureObject(eviction, "deleteOptions", "preconditions").put("uid", pod.uid());
        return eviction;
    }

    // ---- groups ----

    /** What an event about a group says of it. */
    static ObjectNode reference(GroupSpec group, KubeApi.Kind kind) {
        ObjectNode about = Json.object().put("kind", "PodGroup").put("apiVersion", kind.group() + "/" + kind.version());
        about.putObject("metadata")
                .put("name", group.name())
                .put("namespace", group.namespace())
                .put("uid", group.uid());
        return about;
    }

    /**
     * Tells how far a group is, in the object itself: it has no subresource.
     *
     * @param before its conditions as the API told them
     * @param round which round found it out
     */
    void status(GroupSpec group, KubeApi.Kind kind, GroupStatus status, JsonNode before, String round) {
        GroupStatus.Condition now = status.condition();
        boolean known = now != null && isKnown(before, now);
        write(
                group.key(),
                () -> {
                    ObjectNode patch = Json.object();
                    Json.ensureObject(patch, "metadata").put("uid", group.uid());
                    ObjectNode body = Json.ensureObject(patch, "status");
                    body.put("phase", status.phase().toString());
                    count(body, "running", status.running());
                    count(body, "succeeded", status.succeeded());
                    count(body, "failed", status.failed());
                    if (now != null && !known) {
                        body.set("conditions", conditions(before, now, round));
                    }
                    api.patch(kind, group.namespace(), group.name(), "", KubeApi.Merge.PLAIN, patch);
                    if (now != null && !known) {
                        announce(reference(group, kind), now);
                    }
                },
                e -> {
                    LOG.debug("{}: {}", group.key(), e.getMessage());
                    if (e.code() != NOT_FOUND) {
                        troubles.statusFailed(group.key());
                    }
                });
    }

    /** Tells something of a group that changes nothing about how far it is. */
    void condition(GroupSpec group, KubeApi.Kind kind, GroupStatus.Condition now, JsonNode before, String round) {
        if (isKnown(before, now)) {
            return;
        }
        write(
                group.key(),
                () -> {
                    ObjectNode patch = Json.object();
                    Json.ensureObject(patch, "metadata").put("uid", group.uid());
                    Json.ensureObject(patch, "status").set("conditions", conditions(before, now, round));
                    api.patch(kind, group.namespace(), group.name(), "", KubeApi.Merge.PLAIN, patch);
                    announce(reference(group, kind), now);
                },
                e -> LOG.debug("{}: {}", group.key(), e.getMessage()));
    }

    /**
     * Tells how far a group of Kubernetes' own kind is.
     *
     * @param before its conditions as the API told them
     */
    void nativeStatus(GroupSpec group, GroupStatus status, JsonNode before, long generation) {
        ObjectNode condition = NativeGroup.condition(status.condition(), before, generation, clock.instant());
        if (condition == null) {
            return;
        }
        write(
                group.key(),
                () -> {
                    ObjectNode patch = Json.object();
                    Json.ensureObject(patch, "metadata").put("uid", group.uid());
                    ArrayNode all = Json.ensureObject(patch, "status").putArray("conditions");
                    for (JsonNode each : before) {
                        if (!Json.textAt(each, "type").equals(Json.textAt(condition, "type"))) {
                            all.add(each);
                        }
                    }
                    all.add(condition);
                    KubeApi.Kind kind = GangKinds.NATIVE_GROUPS;
                    api.patch(kind, group.namespace(), group.name(), "status", KubeApi.Merge.PLAIN, patch);
                },
                e -> {
                    LOG.debug("{}: {}", group.key(), e.getMessage());
                    if (e.code() != NOT_FOUND && e.code() != CONFLICT) {
                        troubles.statusFailed(group.key());
                    }
                });
    }

    /** Tells how far a group of kube-scheduler's plugin is. */
    void pluginStatus(GroupSpec group, GroupStatus status) {
        write(
                group.key(),
                () -> {
                    ObjectNode patch = Json.object();
                    Json.ensureObject(patch, "metadata").put("uid", group.uid());
                    patch.set("status", PluginGroup.status(status));
                    KubeApi.Kind kind = GangKinds.PLUGIN_GROUPS;
                    api.patch(kind, group.namespace(), group.name(), "status", KubeApi.Merge.PLAIN, patch);
                },
                e -> {
                    LOG.debug("{}: {}", group.key(), e.getMessage());
                    if (e.code() != NOT_FOUND && e.code() != CONFLICT) {
                        troubles.statusFailed(group.key());
                    }
                });
    }

    private void announce(ObjectNode about, GroupStatus.Condition condition) {
        if (condition.type().equals("Scheduled")) {
            events.normal(about, condition.type(), "pod group is ready");
        } else {
            events.warning(about, condition.type(), condition.message());
        }
    }

    /** What there is none of is not written, as upstream. */
    private static void count(ObjectNode body, String name, int number) {
        if (number == 0) {
            body.putNull(name);
        } else {
            body.put(name, number);
        }
    }

    private static boolean isKnown(JsonNode conditions, GroupStatus.Condition condition) {
        JsonNode last = null;
        for (JsonNode each : conditions) {
            if (Json.textAt(each, "type").equals(condition.type())) {
                last = each;
            }
        }
        return last != null
                && Json.textAt(last, "status").equals("True")
                && Json.textAt(last, "reason").equals(condition.reason())
                && Json.textAt(last, "message").equals(condition.message());
    }

    /** One of each type; another one takes the place of that of its type. */
    private ArrayNode conditions(JsonNode before, GroupStatus.Condition condition, String round) {
        ArrayNode conditions = Json.array();
        ObjectNode made = Json.object().put("type", condition.type()).put("status", "True");
        made.put("transitionID", round).put("lastTransitionTime", GoTime.seconds(clock.instant()));
        made.put("reason", condition.reason());
        if (!condition.message().isEmpty()) {
            made.put("message", condition.message());
        }
        boolean replaced = false;
        for (JsonNode each : before) {
            boolean same = Json.textAt(each, "type").equals(condition.type());
            conditions.add(same ? made : each);
            replaced |= same;
        }
        if (!replaced) {
            conditions.add(made);
        }
        return conditions;
    }

    /** A group is not let into its queue. */
    void refused(GroupSpec group, KubeApi.Kind kind, String message) {
        events.normal(reference(group, kind), "Unschedulable", message);
    }

    // ---- queues and the rest ----

    /** Tells what a queue has. */
    void allocated(String queue, ObjectNode amounts) {
        write(
                "queue " + queue,
                () -> {
                    ObjectNode patch = Json.object();
                    Json.ensureObject(patch, "status").set("allocated", amounts);
                    api.patch(GangKinds.QUEUES, "", queue, "status", KubeApi.Merge.PLAIN, patch);
                },
                e -> {
                    LOG.debug("queue {}: {}", queue, e.getMessage());
                    if (e.code() != NOT_FOUND) {
                        troubles.queueFailed(queue);
                    }
                });
    }

    void warn(ObjectNode about, String reason, String message) {
        events.warning(about, reason, message);
    }

    void close() throws InterruptedException {
        writes.close();
        events.close();
    }
}
