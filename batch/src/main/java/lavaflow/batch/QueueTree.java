package lavaflow.batch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What opening or closing a queue means for those below it. */
final class QueueTree {
    /**
     * What is to be done to one queue.
     *
     * @param stamp how its annotations change; null where they do not
     */
    record Change(
            ObjectNode queue, QueueState state, @Nullable ObjectNode stamp) {}

    private final KubeApi api;
    private final Predicate<String> isEmpty;

    /** @param isEmpty whether a queue has no PodGroup */
    QueueTree(KubeApi api, Predicate<String> isEmpty) {
        this.api = api;
        this.isEmpty = isEmpty;
    }

    /** The queue and what must be closed with it, which comes first: whatever happens in between can be done again. */
    List<Change> close(ObjectNode queue) {
        List<Change> changes = new ArrayList<>();
        close(queue, byParent(), null, changes, new HashSet<>());
        return changes;
    }

    private void close(
            ObjectNode queue,
            Map<String, List<ObjectNode>> below,
            @Nullable ObjectNode stamp,
            List<Change> changes,
            Set<String> seen) {
        if (!seen.add(Batch.name(queue))) {
            return;
        }
        for (ObjectNode child : below.getOrDefault(Batch.name(queue), List.of())) {
            QueueState state = QueueState.of(child);
            if (state != QueueState.CLOSED && state != QueueState.CLOSING) {
                close(child, below, stamp("true"), changes, seen);
            }
        }
        QueueState next = QueueState.of(queue).after(QueueState.Wish.CLOSE, isEmpty.test(Batch.name(queue)));
        changes.add(new Change(queue, next, stamp));
    }

    /** The queue and what was closed with it, which comes afterwards: nothing is open below a queue that is not. */
    List<Change> open(ObjectNode queue) {
        List<Change> changes = new ArrayList<>();
        open(queue, byParent(), changes, new HashSet<>());
        return changes;
    }

    private static void open(
            ObjectNode queue, Map<String, List<ObjectNode>> below, List<Change> changes, Set<String> seen) {
        if (!seen.add(Batch.name(queue))) {
            return;
        }
        boolean clean = Batch.annotation(queue, Batch.CLOSED_BY_PARENT).equals("false");
        changes.add(new Change(queue, QueueState.OPEN, clean ? null : stamp("false")));
        for (ObjectNode child : below.getOrDefault(Batch.name(queue), List.of())) {
            if (isStamped(child)) {
                open(child, below, changes, seen);
            }
        }
    }

    /** The parent that keeps a queue from being opened; empty if none does. */
    String closedParent(ObjectNode queue) {
        String parent = Json.textAt(queue, "spec", "parent");
        boolean open = parent.isEmpty()
                || parent.equals(Batch.ROOT)
                || api.find(Batch.QUEUES, "", parent)
                        .map(found -> QueueState.of(found) == QueueState.OPEN)
                        .orElse(true);
        return open ? "" : parent;
    }

    private static boolean isStamped(ObjectNode queue) {
        return Batch.annotation(queue, Batch.CLOSED_BY_PARENT).equals("true");
    }

    private static ObjectNode stamp(String value) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").putObject("annotations").put(Batch.CLOSED_BY_PARENT, value);
        return patch;
    }

    private Map<String, List<ObjectNode>> byParent() {
        Map<String, List<ObjectNode>> children = new LinkedHashMap<>();
        api.list(
                Batch.QUEUES,
                "",
                KubeApi.View.WHOLE,
                queue -> children.computeIfAbsent(Json.textAt(queue, "spec", "parent"), _ -> new ArrayList<>())
                        .add(queue));
        return children;
    }
}
