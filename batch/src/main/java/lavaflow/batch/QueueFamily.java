package lavaflow.batch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A queue among those above and below it: whether their amounts fit together. */
final class QueueFamily {
    /** How many queues may be above each other, the root not counted. */
    private static final int MAX_DEPTH = 5;

    private static final String[] CAPABILITY = {"spec", "capability"};
    private static final String[] DESERVED = {"spec", "deserved"};
    private static final String[] GUARANTEE = {"spec", "guarantee", "resource"};

    private final ObjectNode queue;
    private final String name;
    /** All queues by name, with this one as it is to be. */
    private final Map<String, ObjectNode> all = new LinkedHashMap<>();

    QueueFamily(ObjectNode queue, List<ObjectNode> present) {
        this.queue = queue;
        this.name = Batch.name(queue);
        present.forEach(each -> all.put(Batch.name(each), each));
        all.put(name, queue);
    }

    /** What is wrong with the queue among the others; empty if nothing is. */
    String refusal() {
        String parent = parent(queue);
        if (name.equals(Batch.ROOT)) {
            return parent.isEmpty() ? "" : "queue root cannot have a parent";
        }
        if (parent.equals(name)) {
            return "queue " + name + " cannot use itself as parent";
        }
        ObjectNode above = parent.isEmpty() || parent.equals(Batch.ROOT) ? null : all.get(parent);
        if (above == null && !parent.isEmpty() && !parent.equals(Batch.ROOT)) {
            return "failed to get parent queue of queue " + name + ": queue.scheduling.volcano.sh \"" + parent
                    + "\" not found";
        }
        return first(this::depth, this::capabilities, () -> sums(above, "parent queue "), () -> sums(queue, "queue "));
    }

    private interface Rule {
        String refusal();
    }

    private static String first(Rule... rules) {
        for (Rule rule : rules) {
            String refusal = rule.refusal();
            if (!refusal.isEmpty()) {
                return refusal;
            }
        }
        return "";
    }

    private static String parent(ObjectNode some) {
        return Json.textAt(some, "spec", "parent");
    }

    private List<ObjectNode> children(String of) {
        return all.values().stream().filter(each -> parent(each).equals(of)).toList();
    }

    /** The queues above one, the next first, without the root. */
    private List<ObjectNode> above(ObjectNode some) {
        Set<ObjectNode> found = new LinkedHashSet<>();
        ObjectNode next = all.get(parent(some));
        while (next != null && !Batch.name(next).equals(Batch.ROOT) && found.add(next)) {
            next = all.get(parent(next));
        }
        return new ArrayList<>(found);
    }

    /** The queues below one, which must not be below itself. */
    private List<ObjectNode> below(ObjectNode some) {
        List<ObjectNode> found = new ArrayList<>();
        for (ObjectNode child : children(Batch.name(some))) {
            found.add(child);
            found.addAll(below(child));
        }
        return found;
    }

    private String depth() {
        List<ObjectNode> above = above(queue);
        if (above.contains(queue)) {
            return "queue " + name + " cannot be below itself: " + parent(queue) + " is below " + name;
        }
        for (ObjectNode each : below(queue)) {
            if (above(each).size() + 1 > MAX_DEPTH) {
                return tooDeep(Batch.name(each));
            }
        }
        return above.size() + 1 > MAX_DEPTH ? tooDeep(name) : "";
    }

    private static String tooDeep(String name) {
        return "queue " + name + " exceeds the maximum allowed depth of " + MAX_DEPTH;
    }

    /** No queue may have more of anything than the next one above it that limits it. */
    private String capabilities() {
        ResourceAmounts own = ResourceAmounts.at(queue, CAPABILITY);
        ObjectNode limiting = limiting(queue, own);
        if (limiting != null) {
            return "queue " + name + " capability (" + own + ") exceeds parent queue " + Batch.name(limiting)
                    + " capability (" + ResourceAmounts.at(limiting, CAPABILITY) + ")";
        }
        for (ObjectNode child : below(queue)) {
            ResourceAmounts wanted = ResourceAmounts.at(child, CAPABILITY);
            ObjectNode forbidding = limiting(child, wanted);
            if (forbidding != null && Batch.name(forbidding).equals(name)) {
                return "queue " + name + " capability (" + own + ") is less than child queue " + Batch.name(child)
                        + " capability (" + wanted + ")";
            }
        }
        return "";
    }

    /** The queue above one that does not allow what it wants; null if none forbids it. */
    private @Nullable ObjectNode limiting(ObjectNode some, ResourceAmounts wanted) {
        List<ObjectNode> above = above(some);
        for (Map.Entry<String, Double> amount : wanted.byName().entrySet()) {
            for (ObjectNode each : above) {
                ResourceAmounts limit = ResourceAmounts.at(each, CAPABILITY);
                if (limit.has(amount.getKey())) {
                    if (amount.getValue() > limit.byName().getOrDefault(amount.getKey(), 0.0)) {
                        return each;
                    }
                    break;
                }
            }
        }
        return null;
    }

    /** What is promised to the children of a queue must be there. */
    private String sums(@Nullable ObjectNode parent, String who) {
        if (parent == null) {
            return "";
        }
        List<ObjectNode> children = children(Batch.name(parent));
        String guarantee = sum(parent, children, "guarantee", GUARANTEE);
        String problem = guarantee.isEmpty() ? sum(parent, children, "deserved", DESERVED) : guarantee;
        return problem.isEmpty() ? "" : who + Batch.name(parent) + " validation failed: " + problem;
    }

    /** Where the parent promises nothing itself, what it may have at most is the limit. */
    private static String sum(ObjectNode parent, List<ObjectNode> children, String word, String[] path) {
        ResourceAmounts promised = ResourceAmounts.of(null);
        for (ObjectNode child : children) {
            promised = promised.plus(ResourceAmounts.at(child, path));
        }
        String start = "sum of children's " + word + " (" + promised + ") exceeds parent's ";
        ResourceAmounts limit = ResourceAmounts.at(parent, path);
        if (limit.named()) {
            return promised.isWithin(limit) ? "" : start + word + " limit (" + limit + ")";
        }
        ResourceAmounts capability = ResourceAmounts.at(parent, CAPABILITY);
        return promised.isWithinNamed(capability) ? "" : start + "capability (" + capability + ")";
    }
}
