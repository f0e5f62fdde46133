package lavaflow.apiserver;

import java.util.BitSet;
import java.util.random.RandomGenerator;

/** Numbers from a range, each given out once. Thread-safe. */
final class AddressPool {
    private final BitSet taken;
    private final int size;
    private final RandomGenerator random;

    AddressPool(int size, RandomGenerator random) {
        this.taken = new BitSet(size);
        this.size = size;
        this.random = random;
    }

    /** Takes a certain number; false if somebody has it. */
    synchronized boolean take(int number) {
        if (taken.get(number)) {
            return false;
        }
        taken.set(number);
        return true;
    }

    /** Takes any free number at or above the first one to be given out by chance; -1 if there is none. */
    synchronized int takeAny(int first) {
        int start = first + random.nextInt(size - first);
        int free = taken.nextClearBit(start);
        if (free >= size) {
            free = taken.nextClearBit(0);
        }
        if (free >= size) {
            return -1;
        }
        taken.set(free);
        return free;
    }

    synchronized void release(int number) {
        taken.clear(number);
    }

    int size() {
        return size;
    }
}
