package lavaflow.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Knows what is true: everything that happened, in order, without delay. */
final class Observer implements AutoCloseable {
    /**
     * One thing that happened.
     *
     * @param before null for what is new
     * @param after null for what is gone
     */
    record Change(
            KubeApi.Kind kind,
            @Nullable ObjectNode before,
            @Nullable ObjectNode after) {}

    private record Told(long revision, KubeApi.Kind kind, KubeApi.Event event) {}

    private final Map<KubeApi.Kind, KubeApi.Watch> watches = new LinkedHashMap<>();
    private final Map<KubeApi.Kind, Map<String, ObjectNode>> objects = new LinkedHashMap<>();
    private final History history = new History();

    Observer(KubeApi api, List<KubeApi.Kind> kinds) {
        for (KubeApi.Kind kind : kinds) {
            Map<String, ObjectNode> present = new LinkedHashMap<>();
            long revision = api.list(kind, "", KubeApi.View.WHOLE, object -> present.put(uid(object), object));
            objects.put(kind, present);
            history.begin(kind, revision, present.values());
            watches.put(kind, api.watch(kind, revision, KubeApi.View.WHOLE));
        }
    }

    /** Tells what happened since the last call, one change after the other: each is told when nothing later is known. */
    void poll(Consumer<Change> listener) {
        List<Told> told = new ArrayList<>();
        watches.forEach((kind, watch) -> {
            try {
                for (KubeApi.Event event : watch.next(Duration.ZERO).events()) {
                    told.add(new Told(
                            Long.parseLong(Json.textAt(event.object(), "metadata", "resourceVersion")), kind, event));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        told.sort(Comparator.comparingLong(Told::revision));
        for (Told each : told) {
            ObjectNode object = each.event().object();
            history.add(each.kind(), each.revision(), each.event());
            Map<String, ObjectNode> present = objects.computeIfAbsent(each.kind(), _ -> new LinkedHashMap<>());
            ObjectNode before = each.event().deleted() ? present.remove(uid(object)) : present.put(uid(object), object);
            listener.accept(new Change(each.kind(), before, each.event().deleted() ? null : object));
        }
    }

    /** What was, at every moment so far. */
    History history() {
        return history;
    }

    Collection<ObjectNode> all(KubeApi.Kind kind) {
        return objects.getOrDefault(kind, Map.of()).values();
    }

    @Nullable
    ObjectNode byUid(KubeApi.Kind kind, String uid) {
        return objects.getOrDefault(kind, Map.of()).get(uid);
    }

    /** Pods controlled by an object, unfinished and not on their way out. */
    List<ObjectNode> activePods(String owner) {
        return all(Kinds.PODS).stream()
                .filter(pod -> owner(pod).equals(owner) && isActive(pod))
                .toList();
    }

    /** Objects whose names occur in a text, and what they control, without what nobody reads. */
    List<ObjectNode> concerned(String text) {
        List<ObjectNode> named = new ArrayList<>();
        List<ObjectNode> others = new ArrayList<>();
        objects.values()
                .forEach(present -> present.values()
                        .forEach(object ->
                                (text.contains(Json.textAt(object, "metadata", "name")) ? named : others).add(object)));
        others.removeIf(object -> named.stream().noneMatch(each -> uid(each).equals(owner(object))));
        List<ObjectNode> found = new ArrayList<>();
        Stream.concat(named.stream(), others.stream()).forEach(object -> {
            ObjectNode copy = object.deepCopy();
            Json.ensureObject(copy, "metadata").remove("managedFields");
            found.add(copy);
        });
        return found;
    }

    static String uid(ObjectNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static String place(ObjectNode object) {
        return Json.textAt(object, "metadata", "namespace") + "/" + Json.textAt(object, "metadata", "name");
    }

    /** The uid of who controls an object, empty if nobody does. */
    static String owner(ObjectNode object) {
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.flagAt(reference, "controller")) {
                return Json.textAt(reference, "uid");
            }
        }
        return "";
    }

    static boolean isDeleting(ObjectNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    static boolean isFinished(ObjectNode pod) {
        String phase = Json.textAt(pod, "status", "phase");
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    static boolean isActive(ObjectNode pod) {
        return !isFinished(pod) && !isDeleting(pod);
    }

    static boolean isReady(ObjectNode pod) {
        return hasCondition(pod, "Ready");
    }

    static boolean hasCondition(ObjectNode object, String type) {
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                return Json.textAt(condition, "status").equals("True");
            }
        }
        return false;
    }

    @Override
    public void close() {
        watches.values().forEach(KubeApi.Watch::close);
    }
}
