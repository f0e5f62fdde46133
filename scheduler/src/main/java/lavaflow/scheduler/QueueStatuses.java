package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.gang.Amounts;
import lavaflow.gang.Queue;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;
import lavaflow.placement.Columns;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Tells in queues what they have, with what the queues below them have: when it has been another amount for a while, so that what comes
 * together or goes again at once is one write or none.
 */
final class QueueStatuses {
    static final Duration PAUSE = Duration.ofSeconds(2);

    private final Columns columns;
    private final GangWriter writer;
    /** As the API tells it, or as it was written since. */
    private final Map<String, ObjectNode> known = new TreeMap<>();

    private final Map<String, String> parents = new HashMap<>();
    private boolean changed;
    /** Since when there may be something to tell; null if there is nothing. */
    private @Nullable Instant changedSince;

    QueueStatuses(Columns columns, GangWriter writer) {
        this.columns = columns;
        this.writer = writer;
    }

    /** A queue as the API tells it; null for one that is gone. */
    void told(String name, @Nullable ObjectNode queue) {
        changed = true;
        if (queue == null) {
            known.remove(name);
            parents.remove(name);
            return;
        }
        ObjectNode allocated = Json.objectAt(queue, "status", "allocated");
        known.put(name, allocated == null ? Json.object() : allocated);
        String parent = Json.textAt(queue, "spec", "parent");
        boolean top = name.equals("root");
        parents.put(name, top ? "" : parent.isEmpty() ? "root" : parent);
    }

    /** What was written of a queue did not get there. */
    void forget(String name) {
        changed = true;
        known.computeIfPresent(name, (_, _) -> Json.object());
    }

    void touch() {
        changed = true;
    }

    @Nullable
    Instant nextDue() {
        if (changedSince != null) {
            return changedSince.plus(PAUSE);
        }
        return changed ? Instant.MIN : null;
    }

    void write(Collection<Queue> queues, Instant now) {
        if (changed && changedSince == null) {
            changedSince = now;
        }
        if (changedSince == null || changedSince.plus(PAUSE).isAfter(now)) {
            return;
        }
        changed = false;
        changedSince = null;
        Map<String, ObjectNode> other = other(queues);
        known.putAll(other);
        other.forEach(writer::allocated);
    }

    /** What the queues have where that is not what is known of them. */
    private Map<String, ObjectNode> other(Collection<Queue> queues) {
        Map<String, Amounts> sums = new HashMap<>();
        for (Queue queue : queues) {
            String name = queue.spec().name();
            Set<String> visited = new HashSet<>();
            while (!name.isEmpty() && visited.add(name)) {
                sums.computeIfAbsent(name, _ -> Amounts.none()).add(queue.allocated());
                name = parents.getOrDefault(name, "");
            }
        }
        Map<String, ObjectNode> other = new TreeMap<>();
        known.forEach((name, before) -> {
            ObjectNode amounts = amounts(sums.getOrDefault(name, Amounts.none()), before);
            if (!amounts.equals(before)) {
                other.put(name, amounts);
            }
        });
        return other;
    }

    /** Processors and memory always, the rest where there is or was some. */
    private ObjectNode amounts(Amounts sum, ObjectNode before) {
        ObjectNode amounts = Json.object();
        for (int column = 0; column < columns.size(); column++) {
            String name = columns.name(column);
            long amount = Math.round(sum.get(column));
            if (amount != 0 || column <= Columns.MEMORY || before.has(name)) {
                amounts.put(name, quantity(column, amount));
            }
        }
        before.fieldNames().forEachRemaining(name -> {
            if (!amounts.has(name)) {
                amounts.put(name, "0");
            }
        });
        return amounts;
    }

    private static String quantity(int column, long amount) {
        if (column == Columns.CPU) {
            return Quantity.ofMilli(amount, Quantity.Format.DECIMAL_SI).toString();
        }
        Quantity.Format format = column == Columns.MEMORY ? Quantity.Format.BINARY_SI : Quantity.Format.DECIMAL_SI;
        return Quantity.of(amount, format).toString();
    }
}
