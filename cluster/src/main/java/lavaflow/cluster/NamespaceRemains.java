package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import lavaflow.controller.KubeApi;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is left of a namespace after everything in it was asked to go, and how its conditions tell that. */
final class NamespaceRemains {
    private final SortedMap<String, Integer> byKind = new TreeMap<>();
    private final SortedMap<String, Integer> byFinalizer = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();

    void add(KubeApi.Kind kind, ObjectNode object) {
        // Upstream writes group and resource with a dot between, also where the group is empty.
        byKind.merge(kind.resource() + "." + kind.group(), 1, Integer::sum);
        Objects.finalizers(object).forEach(finalizer -> byFinalizer.merge(finalizer, 1, Integer::sum));
    }

    void addFailure(String message) {
        failures.add(message);
    }

    boolean isEmpty() {
        return byKind.isEmpty() && failures.isEmpty();
    }

    /** Equal for equal remains: tells whether a sweep changed anything. */
    String summary() {
        return byKind + " " + byFinalizer + " " + failures.size();
    }

    /** Sets the conditions of a namespace; tells whether that changed anything. */
    boolean report(ObjectNode namespace, Instant now) {
        ArrayNode conditions = Json.listAt(namespace, "status", "conditions");
        ArrayNode next = conditions.deepCopy();
        set(
                next,
                now,
                "NamespaceDeletionDiscoveryFailure",
                false,
                "ResourcesDiscovered",
                "" + "All resources successfully discovered");
        set(
                next,
                now,
                "NamespaceDeletionGroupVersionParsingFailure",
                false,
                "ParsedGroupVersions",
                "" + "All legacy kube types successfully parsed");
        boolean failed = !failures.isEmpty();
        set(
                next,
                now,
                "NamespaceDeletionContentFailure",
                failed,
                failed ? "ContentDeletionFailed" : "ContentDeleted",
                failed
                        ? "Failed to delete all resource types, " + failures.size() + " remaining: "
                                + String.join(", ", failures)
                        : "All content successfully deleted, may be waiting on finalization");
        boolean content = !byKind.isEmpty();
        set(
                next,
                now,
                "NamespaceContentRemaining",
                content,
                content ? "SomeResourcesRemain" : "ContentRemoved",
                content
                        ? "Some resources are remaining: " + counted(byKind, " has ")
                        : "All content successfully removed");
        boolean finalizers = !byFinalizer.isEmpty();
        set(
                next,
                now,
                "NamespaceFinalizersRemaining",
                finalizers,
                finalizers ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
                finalizers
                        ? "Some content in the namespace has finalizers remaining: " + counted(byFinalizer, " in ")
                        : "All content-preserving finalizers finished");
        if (next.equals(conditions)) {
            return false;
        }
        Json.ensureObject(namespace, "status").set("conditions", next);
        return true;
    }

    private static String counted(SortedMap<String, Integer> counts, String verb) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + verb + entry.getValue() + " resource instances")
                .collect(Collectors.joining(", "));
    }

    private static void set(
            ArrayNode conditions, Instant now, String type, boolean holds, String reason, String message) {
        ObjectNode condition = null;
        for (JsonNode candidate : conditions) {
            if (candidate instanceof ObjectNode present
                    && Json.textAt(present, "type").equals(type)) {
                condition = present;
            }
        }
        if (condition == null) {
            condition = conditions.addObject().put("type", type);
        }
        String status = holds ? "True" : "False";
        boolean same = Json.textAt(condition, "status").equals(status)
                && Json.textAt(condition, "reason").equals(reason)
                && Json.textAt(condition, "message").equals(message);
        if (!same) {
            condition.put("status", status).put("lastTransitionTime", GoTime.seconds(now));
            condition.put("reason", reason).put("message", message);
        }
    }
}
