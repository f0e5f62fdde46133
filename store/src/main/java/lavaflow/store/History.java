package lavaflow.store;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Decides how far the past can be read: old changes go when they are older than the window, or when they are too many or
 * too heavy. Used by the writer only.
 *
 * <p>Changes are grouped into slots of neighbouring revisions, so that keeping track costs next to nothing; a slot goes
 * as a whole when its newest change is due.
 */
final class History {

    private static final int SLOT_EVENTS = 256;
    private static final int SLOTS_PER_WINDOW = 64;

    private static final class Slot {
        final Set<Bucket> buckets = new LinkedHashSet<>();
        final long startMillis;
        long endMillis;
        long lastRevision;
        int events;

        Slot(long startMillis) {
            this.startMillis = startMillis;
        }
    }

    private final Index index;
    private final long windowMillis;
    private final long maxBytes;
    private final int maxEvents;
    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private volatile long bytes;
    private volatile int events;

    History(Index index, StoreOptions options) {
        this.index = index;
        this.windowMillis = options.historyWindow().toMillis();
        this.maxBytes = options.historyBytes();
        this.maxEvents = options.historyEvents();
    }

    long bytes() {
        return bytes;
    }

    int events() {
        return events;
    }

    boolean isEmpty() {
        return slots.isEmpty();
    }

    /** Keeps track of a change that was just published. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the writer changes them
    void add(Bucket bucket, Change change, long nowMillis) {
        Slot slot = slots.peekLast();
        if (slot == null
                || slot.events >= Math.clamp(maxEvents / SLOTS_PER_WINDOW, 1, SLOT_EVENTS)
                || nowMillis - slot.startMillis > windowMillis / SLOTS_PER_WINDOW) {
            slot = new Slot(nowMillis);
            slots.addLast(slot);
        }
        slot.buckets.add(bucket);
        slot.endMillis = nowMillis;
        slot.lastRevision = change.revision();
        slot.events++;
        events++;
        bytes += change.historyWeight();
    }

    /** Lets go what is due. */
    void expire(long nowMillis) {
        for (Slot slot = slots.peekFirst(); slot != null && due(slot, nowMillis); slot = slots.peekFirst()) {
            if (compact(slot.lastRevision) < slot.lastRevision) {
                return; // pinned; it goes next time
            }
        }
    }

    private boolean due(Slot slot, long nowMillis) {
        return nowMillis - slot.endMillis > windowMillis || events > maxEvents || bytes > maxBytes;
    }

    /** Lets go everything up to a revision, which must be visible; returns the oldest revision now kept. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the writer changes them
    long compact(long revision) {
        long compacted = index.compact(revision);
        for (Slot slot = slots.peekFirst(); slot != null; slot = slots.peekFirst()) {
            for (Bucket bucket : slot.buckets) {
                Bucket.Dropped dropped = bucket.drop(compacted);
                events -= dropped.events();
                bytes -= dropped.bytes();
            }
            if (slot.lastRevision > compacted) {
                break;
            }
            slots.removeFirst();
        }
        return compacted;
    }
}
