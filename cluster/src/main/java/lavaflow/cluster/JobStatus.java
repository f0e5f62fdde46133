package lavaflow.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The status of a job while it is being brought up to date: a copy that remembers whether it must be written. */
final class JobStatus {
    private static final String UNCOUNTED = "uncountedTerminatedPods";

    private final ObjectNode tree;
    private final Instant now;
    private boolean changed;

    JobStatus(ObjectNode job, Instant now) {
        ObjectNode present = Json.objectAt(job, "status");
        this.tree = present == null ? Json.object() : present.deepCopy();
        this.now = now;
        Json.ensureObject(tree, UNCOUNTED);
    }

    /** Finished jobs are left alone. */
    static boolean isFinished(ObjectNode job) {
        return isTrue(job, "Complete") || isTrue(job, "Failed");
    }

    static boolean isTrue(ObjectNode job, String type) {
        ObjectNode found = find(Json.listAt(job, "status", "conditions"), type);
        return found != null && Json.textAt(found, "status").equals("True");
    }

    /** The tree as it is now if it must be written, null if it need not; asking makes it count as written. */
    @Nullable
    ObjectNode takeChange() {
        ObjectNode copy = changed ? tree.deepCopy() : null;
        changed = false;
        return copy;
    }

    // ---- counts

    long count(String field) {
        return Json.longAt(tree, 0, field);
    }

    /** Counts that are left out when nothing is there. */
    void setCount(String field, long count) {
        if (count(field) == count) {
            return;
        }
        changed = true;
        if (count == 0) {
            tree.remove(field);
        } else {
            tree.put(field, count);
        }
    }

    /** Counts that are always shown. */
    void showCount(String field, long count) {
        if (Json.longAt(tree, -1, field) != count) {
            changed = true;
            tree.put(field, count);
        }
    }

    /** Sets a text, null by leaving it out. */
    void setText(String field, @Nullable String text) {
        JsonNode present = Json.at(tree, field);
        if (text == null ? present == null : present != null && present.asText().equals(text)) {
            return;
        }
        changed = true;
        if (text == null) {
            tree.remove(field);
        } else {
            tree.put(field, text);
        }
    }

    String text(String field) {
        return Json.textAt(tree, field);
    }

    @Nullable
    Instant startTime() {
        String start = text("startTime");
        return start.isEmpty() ? null : PodState.time(start);
    }

    // ---- pods that have ended but are not counted yet

    List<String> uncounted(String which) {
        List<String> uids = new ArrayList<>();
        Json.listAt(tree, UNCOUNTED, which).forEach(uid -> uids.add(uid.asText()));
        return uids;
    }

    /** Writes down that a pod ended; it counts once nothing can make it come up again. */
    void addUncounted(String which, String uid) {
        changed = true;
        Json.ensureObject(tree, UNCOUNTED).withArray(which).add(uid);
    }

    /** Counts the pods that have lost their finalizer, which means that they will never be looked at again. */
    void countThoseNotIn(Set<String> tracked) {
        for (String which : List.of("succeeded", "failed")) {
            ArrayNode kept = Json.array();
            List<String> uids = uncounted(which);
            uids.stream().filter(tracked::contains).forEach(kept::add);
            if (kept.size() < uids.size()) {
                setCount(which, count(which) + uids.size() - kept.size());
                ObjectNode lists = Json.ensureObject(tree, UNCOUNTED);
                if (kept.isEmpty()) {
                    lists.remove(which);
                } else {
                    lists.set(which, kept);
                }
                changed = true;
            }
        }
    }

    // ---- conditions

    private static @Nullable ObjectNode find(JsonNode conditions, String type) {
        for (JsonNode condition : conditions) {
            if (Json.textAt(condition, "type").equals(type)) {
                return (ObjectNode) condition;
            }
        }
        return null;
    }

    /** A condition that holds; null if it does not. */
    @Nullable
    ObjectNode holding(String type) {
        ObjectNode found = find(Json.listAt(tree, "conditions"), type);
        return found != null && Json.textAt(found, "status").equals("True") ? found : null;
    }

    /** Makes a condition say this; false if it did already. One that is absent need not be told that it is false. */
    boolean ensure(String type, boolean holds, String reason, String message) {
        ObjectNode found = find(Json.listAt(tree, "conditions"), type);
        String value = holds ? "True" : "False";
        boolean same = found == null
                ? !holds
                : Json.textAt(found, "status").equals(value)
                        && Json.textAt(found, "reason").equals(reason)
                        && Json.textAt(found, "message").equals(message);
        if (same) {
            return false;
        }
        ObjectNode condition = found == null ? tree.withArray("conditions").addObject() : found;
        condition
                .put("type", type)
                .put("status", value)
                .put("lastProbeTime", GoTime.seconds(now))
                .put("lastTransitionTime", GoTime.seconds(now))
                .put("reason", reason)
                .put("message", message);
        changed = true;
        return true;
    }
}
