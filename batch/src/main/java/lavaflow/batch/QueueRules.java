package lavaflow.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kinds.ResourceNames;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How queues are completed and which are refused, in the words of Volcano's webhooks. Functions of values. */
public final class QueueRules {
    static final String HIERARCHY = "volcano.sh/hierarchy";
    static final String WEIGHTS = "volcano.sh/hierarchy-weights";

    private QueueRules() {}

    /** Fills in what a new queue leaves open. */
    public static void complete(ObjectNode queue) {
        ObjectNode annotations = Json.objectAt(queue, "metadata", "annotations");
        String path = Batch.annotation(queue, HIERARCHY);
        String weights = Batch.annotation(queue, WEIGHTS);
        boolean rooted = path.equals(Batch.ROOT) || path.startsWith(Batch.ROOT + "/");
        if (annotations != null && !path.isEmpty() && !weights.isEmpty() && !rooted) {
            annotations.put(HIERARCHY, Batch.ROOT + "/" + path);
            annotations.put(WEIGHTS, "1/" + weights);
        }
        ObjectNode spec = Json.ensureObject(queue, "spec");
        if (!spec.hasNonNull("reclaimable")) {
            spec.put("reclaimable", true);
        }
        if (Json.longAt(spec, 0, "weight") == 0) {
            spec.put("weight", 1);
        }
    }

    /**
     * Why a queue may not be written; empty if it may.
     *
     * @param old what it was; null for a new one
     * @param all every queue there is
     */
    public static String refusal(ObjectNode queue, @Nullable ObjectNode old, List<ObjectNode> all) {
        List<String> problems = new ArrayList<>();
        state(queue, old, problems);
        resources(queue, problems);
        path(queue, all, problems);
        if (!problems.isEmpty()) {
            return problems.size() == 1 ? problems.getFirst() : "[" + String.join(", ", problems) + "]";
        }
        return new QueueFamily(queue, all).refusal();
    }

    /** Why a queue may not be deleted; empty if it may. */
    public static String refusalOfDeletion(String name, List<ObjectNode> all) {
        if (name.equals(Batch.USUAL_QUEUE) || name.equals(Batch.ROOT)) {
            return "`" + name + "` queue can not be deleted";
        }
        List<String> children = all.stream()
                .filter(each -> Json.textAt(each, "spec", "parent").equals(name))
                .map(Batch::name)
                .toList();
        return children.isEmpty()
                ? ""
                : "queue " + name + " can not be deleted because it has " + children.size() + " child queues: "
                        + String.join(", ", children);
    }

    private static String invalid(String field, String value, String why) {
        return "requestBody." + field + ": Invalid value: " + FieldErrors.quoted(value) + ": " + why;
    }

    /** Upstream refuses every change of a queue that is closing, even of its weight; here only its state may not be made up. */
    private static void state(ObjectNode queue, @Nullable ObjectNode old, List<String> problems) {
        String state = Json.textAt(queue, "status", "state");
        boolean same = old != null && Json.textAt(old, "status", "state").equals(state);
        if (!state.isEmpty() && !same && !Set.of("Open", "Closed").contains(state)) {
            problems.add(invalid("spec.state", state, "queue state must be in [Open Closed]"));
        }
    }

    private static void resources(ObjectNode queue, List<String> problems) {
        each(queue, problems, "spec", "capability");
        each(queue, problems, "spec", "deserved");
        each(queue, problems, "spec", "guarantee", "resource");
        ResourceAmounts capability = ResourceAmounts.at(queue, "spec", "capability");
        ResourceAmounts deserved = ResourceAmounts.at(queue, "spec", "deserved");
        ResourceAmounts guarantee = ResourceAmounts.at(queue, "spec", "guarantee", "resource");
        if (!fits(deserved, capability)) {
            problems.add(invalid("spec.deserved", deserved.toString(), "deserved should less equal than capability"));
        } else if (!fits(guarantee, capability)) {
            problems.add(
                    invalid("spec.guarantee", guarantee.toString(), "guarantee should less equal than capability"));
        } else if (!guarantee.isWithin(deserved)) {
            problems.add(invalid("spec.guarantee", guarantee.toString(), "guarantee should less equal than deserved"));
        }
    }

    /** Whether amounts are possible at all; a capability that is there has none of what it does not name. */
    private static boolean fits(ResourceAmounts amounts, ResourceAmounts capability) {
        return !capability.named() || (amounts.isWithin(capability) && amounts.isWithinNamed(capability));
    }

    /** Looks at the amounts of one list. */
    private static void each(ObjectNode queue, List<String> problems, String... path) {
        JsonNode list = Json.at(queue, path);
        if (list == null) {
            return;
        }
        list.properties().forEach(entry -> {
            String field = String.join(".", path) + "." + entry.getKey();
            try {
                Quantity amount = Quantity.fromJson(entry.getValue());
                if (amount.signum() < 0) {
                    problems.add(invalid(field, amount.toString(), "must be greater than or equal to 0"));
                } else if (ResourceNames.isWhole(entry.getKey()) && amount.milliValue() % 1000 != 0) {
                    problems.add(invalid(field, amount.toString(), "must be an integer"));
                }
            } catch (MalformedException e) {
                problems.add(invalid(field, entry.getValue().asText(), String.valueOf(e.getMessage())));
            }
        });
    }

    // ---- the path by which the drf plugin shares

    private static void path(ObjectNode queue, List<ObjectNode> all, List<String> problems) {
        String field = "metadata.annotations";
        String path = Batch.annotation(queue, HIERARCHY);
        String weights = Batch.annotation(queue, WEIGHTS);
        if (path.isEmpty() && weights.isEmpty()) {
            return;
        }
        String[] parts = weights.split("/", -1);
        if (path.split("/", -1).length != parts.length || path.isEmpty() != weights.isEmpty()) {
            problems.add(invalid(field, path, HIERARCHY + " must have the same length with " + WEIGHTS));
            return;
        }
        for (String part : parts) {
            String why = weight(part, weights);
            if (!why.isEmpty()) {
                problems.add(invalid(field, weights, why));
                return;
            }
        }
        for (ObjectNode other : all) {
            String taken = Batch.annotation(other, HIERARCHY);
            if (!Batch.name(other).equals(Batch.name(queue)) && taken.startsWith(path + "/")) {
                problems.add(invalid(
                        field,
                        path,
                        path + " is not allowed to be in the sub path of " + taken + " of queue " + Batch.name(other)));
                return;
            }
        }
    }

    private static String weight(String part, String weights) {
        try {
            return Double.parseDouble(part) > 0 ? "" : part + " in the " + weights + " must be larger than 0";
        } catch (NumberFormatException _) {
            return part + " in the " + weights + " is invalid number: strconv.ParseFloat: parsing "
                    + FieldErrors.quoted(part) + ": invalid syntax";
        }
    }
}
