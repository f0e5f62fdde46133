package lavaflow.store;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * The retained changes of one bucket in order of revision. Every change has a position that never changes; watchers only
 * remember a position, so a slow one costs nothing and is found to lag when its position is gone.
 *
 * <p>The writer adds and removes; any thread reads. A reader takes a change first and asks {@link #head()} afterwards: if
 * the position is still there, what it took was right. The array grows and shrinks with the number of changes kept.
 */
final class Ring {

    private static final int SMALLEST = 16;

    private volatile AtomicReferenceArray<@Nullable Change> slots = new AtomicReferenceArray<>(SMALLEST);
    private volatile long head;
    private volatile long tail;

    /** Position of the oldest change kept. */
    long head() {
        return head;
    }

    /** Position after the newest change. */
    long tail() {
        return tail;
    }

    /** The change at a position below {@link #tail()}; anything when the position is below {@link #head()}. */
    @Nullable
    Change at(long position) {
        AtomicReferenceArray<@Nullable Change> current = slots;
        return current.getAcquire((int) position & (current.length() - 1));
    }

    void add(Change change) {
        long position = tail;
        AtomicReferenceArray<@Nullable Change> current = slots;
        if (position - head == current.length()) {
            current = resize(current.length() * 2);
        }
        current.setRelease((int) position & (current.length() - 1), change);
        tail = position + 1;
    }

    @Nullable
    Change first() {
        return head == tail ? null : at(head);
    }

    void removeFirst() {
        long position = head;
        head = position + 1;
        AtomicReferenceArray<@Nullable Change> current = slots;
        current.setRelease((int) position & (current.length() - 1), null);
        if (current.length() > SMALLEST && tail - head < current.length() / 8) {
            resize(current.length() / 2);
        }
    }

    /** Position of the first change after a revision; only right if that revision is still in the history afterwards. */
    long after(long revision) {
        long low = head;
        long high = tail;
        while (low < high) {
            long middle = (low + high) >>> 1;
            Change change = at(middle);
            if (change == null || change.revision() <= revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(low, head); // changes dropped meanwhile were older than the revision
    }

    private AtomicReferenceArray<@Nullable Change> resize(int length) {
        AtomicReferenceArray<@Nullable Change> resized = new AtomicReferenceArray<>(length);
        for (long position = head; position < tail; position++) {
            resized.setPlain((int) position & (length - 1), at(position));
        }
        slots = resized;
        return resized;
    }
}
