package lavaflow.network;

import java.io.IOException;
import java.util.BitSet;

/** Addresses of pods, each handed out as late after its last use as possible: others may still remember who had it. */
final class AddressPool {
    private final AddressRange range;
    private final BitSet taken = new BitSet();
    private int next;

    /** @param next which to begin with, so that a restart does not begin with addresses just given back */
    AddressPool(AddressRange range, int next) {
        this.range = range;
        this.next = next;
    }

    synchronized int take() throws IOException {
        int capacity = range.capacity();
        int free = taken.nextClearBit(Math.floorMod(next, capacity));
        if (free >= capacity) {
            free = taken.nextClearBit(0);
        }
        if (free >= capacity) {
            throw new IOException("all " + capacity + " addresses of " + range + " are taken");
        }
        taken.set(free);
        next = free + 1;
        return range.pod(free);
    }

    /** Takes one that a pod has already; false where another pod has it or it is no pod's. */
    synchronized boolean take(int address) {
        int number = range.podNumber(address);
        if (number < 0 || number >= range.capacity() || taken.get(number)) {
            return false;
        }
        taken.set(number);
        return true;
    }

    synchronized void giveBack(int address) {
        taken.clear(range.podNumber(address));
    }

    /** Which comes next. */
    synchronized int next() {
        return next;
    }
}
