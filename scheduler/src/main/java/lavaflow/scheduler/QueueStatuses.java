package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
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

/** Tells in queues what they have, with what the queues below them have: when it is another amount, and not too often. */
final class QueueStatuses {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Columns columns;
    private final GangWriter writer;
    /** As the API tells it, or as it was written since. */
    private final Map<String, ObjectNode> known = new TreeMap<>();

    private final Map<String, String> parents = new HashMap<>();
    private boolean changed;
    private Instant pauseUntil = Instant.MIN;

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
        return changed ? pauseUntil : null;
    }

    void write(Collection<Queue> queues, Instant now) {
        if (!changed || pauseUntil.isAfter(now)) {
            return;
        }
        changed = false;
        pauseUntil = now.plus(PAUSE);
        Map<String, Amounts> sums = new HashMap<>();
        for (Queue queue : queues) {
            String name = queue.spec().name();
            Set<String> visited = new HashSet<>();
            while (!name.isEmpty() && visited.add(name)) {
                sums.computeIfAbsent(name, _ -> Amounts.none()).add(queue.allocated());
                name = parents.getOrDefault(name, "");
            }
        }
        for (String name : List.copyOf(known.keySet())) {
            ObjectNode before = known.getOrDefault(name, Json.object());
            ObjectNode amounts = amounts(sums.getOrDefault(name, Amounts.none()), before);
            if (!amounts.equals(before)) {
                known.put(name, amounts);
                writer.allocated(name, amounts);
            }
        }
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
