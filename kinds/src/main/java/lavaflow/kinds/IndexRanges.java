package lavaflow.kinds;

import java.util.BitSet;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.MalformedException;

/** Sets of completion indexes as Jobs write them: {@code 0,3-5,7}, in increasing order. */
final class IndexRanges {
    private final BitSet indexes = new BitSet();
    private long previous = -1;

    private IndexRanges() {}

    /** Reads a set of indexes below a number of completions. */
    static IndexRanges parse(String text, long completions) throws MalformedException {
        IndexRanges ranges = new IndexRanges();
        if (text.isEmpty()) {
            return ranges;
        }
        for (String fragment : text.split(",", -1)) {
            String[] ends = fragment.split("-", -1);
            if (ends.length > 2) {
                throw new MalformedException("the fragment " + FieldErrors.quoted(fragment)
                        + " violates the requirement that an index interval can have at most two parts separated by"
                        + " '-'");
            }
            long first = ranges.next(ends[0], completions);
            long last = ends.length == 2 ? ranges.next(ends[1], completions) : first;
            ranges.indexes.set((int) first, (int) last + 1);
        }
        return ranges;
    }

    private long next(String text, long completions) throws MalformedException {
        long index = number(text);
        if (index >= completions) {
            throw new MalformedException("too large index: " + FieldErrors.quoted(text));
        }
        if (index <= previous) {
            throw new MalformedException("non-increasing order, previous: " + previous + ", current: " + index);
        }
        previous = index;
        return index;
    }

    private static long number(String text) throws MalformedException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new MalformedException("cannot convert string to integer for index: " + FieldErrors.quoted(text));
        }
    }

    int size() {
        return indexes.cardinality();
    }

    /** The first index in both sets, or -1. */
    int firstCommon(IndexRanges other) {
        BitSet common = (BitSet) indexes.clone();
        common.and(other.indexes);
        return common.nextSetBit(0);
    }
}
