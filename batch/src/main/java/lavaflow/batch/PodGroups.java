package lavaflow.batch;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Gives pods that ask for the gang scheduler without naming a PodGroup one of their own, or one for all pods of the same
 * owner. Groups go with their owners, and while a ReplicaSet or StatefulSet wants no pod.
 */
final class PodGroups {
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind REPLICA_SETS = new KubeApi.Kind("apps", "v1", "replicasets", true);
    static final KubeApi.Kind STATEFUL_SETS = new KubeApi.Kind("apps", "v1", "statefulsets", true);

    /** Owners whose annotations count for what they make. */
    private static final Map<String, KubeApi.Kind> OWNERS = Map.of(
            "apps/v1/ReplicaSet",
            REPLICA_SETS,
            "apps/v1/StatefulSet",
            STATEFUL_SETS,
            "apps/v1/DaemonSet",
            new KubeApi.Kind("apps", "v1", "daemonsets", true),
            "batch/v1/Job",
            new KubeApi.Kind("batch", "v1", "jobs", true));

    private static final int WORKERS = 5;

    /** A pod, or a set of pods. */
    record Key(KubeApi.Kind kind, String namespace, String name) {
        @Override
        public String toString() {
            return kind + " " + namespace + "/" + name;
        }
    }

    private final KubeApi api;
    private final Set<String> schedulers;
    private final EventRecorder events;
    private final InstantSource clock;
    private final ControllerRunner<Key> runner;
    /** Pods that cannot have a group now; a queue that comes or opens may change that, or the kind itself. */
    private final Set<Key> waiting = ConcurrentHashMap.newKeySet();

    /** @param schedulers the names under which pods ask for the gang scheduler */
    PodGroups(KubeApi api, Followers followers, Set<String> schedulers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.schedulers = schedulers;
        this.clock = clock;
        this.events = new EventRecorder(api, "vc-controller-manager", clock);
        this.runner = new ControllerRunner<>("pg-controller", followers, WORKERS, this::reconcile, nanoTime)
                .followWhole(PODS, pod -> needsGroup(pod) ? List.of(key(PODS, pod)) : List.of())
                .followWhole(REPLICA_SETS, set -> keys(REPLICA_SETS, set))
                .followWhole(STATEFUL_SETS, set -> keys(STATEFUL_SETS, set));
        Mirror.whileServed(followers, Batch.QUEUES, QueueState::of, _ -> List.of())
                .whenDifferent((_, after) -> {
                    if (after == QueueState.OPEN) {
                        retryWaiting();
                    }
                });
        followers.listenWhileServed(Batch.POD_GROUPS, KubeApi.View.METADATA, new Beginning());
    }

    /** Hears when there can be groups. */
    private final class Beginning implements ChangeListener {
        @Override
        public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {}

        @Override
        public void onRelist(KubeApi.Kind kind, Set<String> uids) {}

        @Override
        public void onNewKind(KubeApi.Kind kind) {
            if (kind.equals(Batch.POD_GROUPS)) {
                retryWaiting();
            }
        }
    }

    ControllerRunner<Key> controller() {
        return runner;
    }

    private static Key key(KubeApi.Kind kind, ObjectNode object) {
        return new Key(kind, Batch.namespace(object), Batch.name(object));
    }

    private List<Key> keys(KubeApi.Kind kind, ObjectNode set) {
        boolean ours = schedulers.contains(Json.textAt(set, "spec", "template", "spec", "schedulerName"));
        return ours ? List.of(key(kind, set)) : List.of();
    }

    private boolean needsGroup(ObjectNode pod) {
        String phase = Json.textAt(pod, "status", "phase");
        return schedulers.contains(Json.textAt(pod, "spec", "schedulerName"))
                && Batch.annotation(pod, Batch.GROUP_NAME).isEmpty()
                && Json.textAt(pod, "metadata", "labels", Batch.GROUP_LABEL).isEmpty()
                && !phase.equals("Succeeded")
                && !phase.equals("Failed")
                && Json.at(pod, "metadata", "deletionTimestamp") == null
                && !isOfVolcanoJob(pod);
    }

    /** The controller of those Jobs makes their groups. */
    private static boolean isOfVolcanoJob(ObjectNode pod) {
        JsonNode controller = PodGroupForm.controller(pod);
        return controller != null
                && Json.textAt(controller, "kind").equals("Job")
                && Json.textAt(controller, "apiVersion").startsWith("batch.volcano.sh/");
    }

    private void retryWaiting() {
        waiting.forEach(key -> {
            if (waiting.remove(key)) {
                runner.queue().add(key);
            }
        });
    }

    private Optional<Duration> reconcile(Key key) {
        // Noted before asking: what comes in between asks for another turn.
        waiting.add(key);
        if (!api.kinds().contains(Batch.POD_GROUPS)) {
            return Optional.empty();
        }
        ObjectNode object = api.find(key.kind(), key.namespace(), key.name()).orElse(null);
        boolean done = object == null || (key.kind().equals(PODS) ? join(object) : follow(object));
        if (done) {
            waiting.remove(key);
        }
        return Optional.empty();
    }

    // ---- pods

    /** Puts a pod into its group, which is made if it is missing; false if that is not possible now. */
    private boolean join(ObjectNode pod) {
        if (!needsGroup(pod)) {
            return true;
        }
        String name = PodGroupForm.nameFor(pod);
        if (!make(name, pod)) {
            return false;
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata")
                .put("uid", Batch.uid(pod))
                .putObject("annotations")
                .put(Batch.GROUP_NAME, name);
        api.patch(PODS, Batch.namespace(pod), Batch.name(pod), "", KubeApi.Merge.PLAIN, patch);
        return true;
    }

    private boolean make(String name, ObjectNode pod) {
        String namespace = Batch.namespace(pod);
        if (api.find(Batch.POD_GROUPS, namespace, name).isPresent()) {
            return true;
        }
        try {
            api.create(Batch.POD_GROUPS, namespace, PodGroupForm.of(pod, owner(pod), clock.instant()));
            return true;
        } catch (ApiException e) {
            if (e.code() == 409 && e.reason().equals("AlreadyExists")) {
                return true; // another pod of the same owner was faster
            }
            if (e.code() >= 400 && e.code() < 500 && e.code() != 409 && e.code() != 429) {
                // Its queue is closed or missing, or a quota is used up: told once, looked at again when queues change.
                events.warning(pod, "FailedCreate", "Error creating PodGroup " + name + ": " + e.getMessage());
                return false;
            }
            throw e;
        }
    }

    private @Nullable ObjectNode owner(ObjectNode pod) {
        JsonNode controller = PodGroupForm.controller(pod);
        if (controller == null) {
            return null;
        }
        KubeApi.Kind kind = OWNERS.get(Json.textAt(controller, "apiVersion") + "/" + Json.textAt(controller, "kind"));
        return kind == null
                ? null
                : api.find(kind, Batch.namespace(pod), Json.textAt(controller, "name"))
                        .filter(found -> Batch.uid(found).equals(Json.textAt(controller, "uid")))
                        .orElse(null);
    }

    // ---- sets

    /** Lets the group of a set go while it wants no pods, and have the size that is wanted otherwise. */
    private boolean follow(ObjectNode set) {
        String namespace = Batch.namespace(set);
        String name = PodGroupForm.name(Batch.uid(set));
        ObjectNode group = api.find(Batch.POD_GROUPS, namespace, name).orElse(null);
        if (group == null) {
            return true;
        }
        if (Json.longAt(set, 1, "spec", "replicas") == 0) {
            api.delete(Batch.POD_GROUPS, namespace, name, KubeApi.Deletion.ofUid(Batch.uid(group)));
            return true;
        }
        ObjectNode wanted = PodGroupForm.sized(set, clock.instant());
        ObjectNode present = Json.objectAt(group, "spec");
        boolean same = present != null
                && wanted.properties().stream().allMatch(each -> each.getValue().equals(present.get(each.getKey())));
        if (!same) {
            ObjectNode patch = Json.object();
            patch.putObject("metadata").put("uid", Batch.uid(group));
            patch.set("spec", wanted);
            api.patch(Batch.POD_GROUPS, namespace, name, "", KubeApi.Merge.PLAIN, patch);
        }
        return true;
    }
}
