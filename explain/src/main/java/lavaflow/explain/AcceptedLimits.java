package lavaflow.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.explain.Change.RaiseLimit;
import lavaflow.gang.QueueSpec;

import org.jspecify.annotations.Nullable;

/**
 * What admission wants of the limits of queues: no queue deserves more than it may have, none may have more than the next one above it that says what it may
 * have, and the children of a queue together do not deserve more than it does, or may have where it does not say what it deserves. Limits that are to be raised
 * are completed by those that have to be raised before.
 */
final class AcceptedLimits {
    static final String CAPABILITY = "capability";
    static final String DESERVED = "deserved";
    private static final String ROOT = "root";

    private record Place(String queue, String field, String resource) {}

    private final Map<String, QueueSpec> queues = new LinkedHashMap<>();
    /** By queue, with what was raised so far. */
    private final Map<String, Map<String, Long>> capability = new LinkedHashMap<>();

    private final Map<String, Map<String, Long>> deserved = new LinkedHashMap<>();
    private final Map<Place, RaiseLimit> raised = new LinkedHashMap<>();

    private AcceptedLimits(List<QueueSpec> all) {
        for (QueueSpec queue : all) {
            queues.put(queue.name(), queue);
            capability.put(queue.name(), new TreeMap<>(queue.capability()));
            deserved.put(queue.name(), new TreeMap<>(queue.deserved()));
        }
    }

    /** Raised limits with those that have to be raised before, from above to below; empty if admission would refuse them anyhow. */
    static Optional<List<RaiseLimit>> of(List<QueueSpec> queues, List<RaiseLimit> wanted) {
        AcceptedLimits limits = new AcceptedLimits(queues);
        for (RaiseLimit each : wanted) {
            if (!limits.change(each)) {
                return Optional.empty();
            }
        }
        return Optional.of(limits.raised.values().stream()
                .sorted(Comparator.comparingInt(
                                (RaiseLimit each) -> limits.above(each.queue()).size())
                        .thenComparing(each -> each.field().equals(DESERVED)))
                .toList());
    }

    private boolean change(RaiseLimit limit) {
        if (limit.to() >= 0) {
            return raise(limit.queue(), limit.field(), limit.resource(), limit.to());
        }
        Map<String, Long> left = amounts(capability, limit.queue());
        left.remove(limit.resource());
        raised.put(new Place(limit.queue(), limit.field(), limit.resource()), limit);
        // A capability that is there has none of what it does not name.
        return left.isEmpty() || !amounts(deserved, limit.queue()).containsKey(limit.resource());
    }

    private boolean raise(String queue, String field, String resource, long to) {
        boolean deserves = field.equals(DESERVED);
        Map<String, Long> amounts = amounts(deserves ? deserved : capability, queue);
        if (amounts.getOrDefault(resource, 0L) >= to) {
            return true;
        }
        boolean possible = deserves
                ? mayDeserve(queue, resource, to) && parentDeserves(queue, resource, to)
                : aboveMayHave(queue, resource, to);
        if (possible) {
            long from = amounts.getOrDefault(resource, 0L);
            amounts.put(resource, to);
            raised.merge(
                    new Place(queue, field, resource),
                    new RaiseLimit(queue, field, resource, from, to),
                    (before, _) -> before.to(to));
        }
        return possible;
    }

    private boolean aboveMayHave(String queue, String resource, long to) {
        for (QueueSpec above : above(queue)) {
            if (amounts(capability, above.name()).containsKey(resource)) {
                return raise(above.name(), CAPABILITY, resource, to);
            }
        }
        return true;
    }

    /** Whether what a queue may have allows it to deserve so much, and those below it still fit. */
    private boolean mayDeserve(String queue, String resource, long to) {
        Map<String, Long> most = amounts(capability, queue);
        boolean first = amounts(deserved, queue).isEmpty();
        boolean others = queues.values().stream()
                .filter(each -> each.parent().equals(queue))
                .flatMap(each -> each.deserved().entrySet().stream())
                .anyMatch(each -> each.getValue() > 0 && !each.getKey().equals(resource));
        if (first && others) {
            return false;
        }
        return most.isEmpty() || (most.containsKey(resource) && raise(queue, CAPABILITY, resource, to));
    }

    private boolean parentDeserves(String queue, String resource, long to) {
        List<QueueSpec> above = above(queue);
        if (above.isEmpty()) {
            return true;
        }
        String parent = above.getFirst().name();
        long sum = to;
        for (QueueSpec each : queues.values()) {
            boolean beside = each.parent().equals(parent) && !each.name().equals(queue);
            sum += beside ? amounts(deserved, each.name()).getOrDefault(resource, 0L) : 0;
        }
        if (!amounts(deserved, parent).isEmpty()) {
            return raise(parent, DESERVED, resource, sum);
        }
        return !amounts(capability, parent).containsKey(resource) || raise(parent, CAPABILITY, resource, sum);
    }

    private static Map<String, Long> amounts(Map<String, Map<String, Long>> all, String queue) {
        return all.computeIfAbsent(queue, _ -> new TreeMap<>());
    }

    /** The queues above one, the next first, without the root, which limits nobody. */
    private List<QueueSpec> above(String queue) {
        List<QueueSpec> found = new ArrayList<>();
        Set<String> seen = new HashSet<>(Set.of(ROOT, queue));
        QueueSpec next = parent(queue);
        while (next != null && seen.add(next.name())) {
            found.add(next);
            next = parent(next.name());
        }
        return found;
    }

    private @Nullable QueueSpec parent(String queue) {
        QueueSpec some = queues.get(queue);
        return some == null ? null : queues.get(some.parent());
    }
}
