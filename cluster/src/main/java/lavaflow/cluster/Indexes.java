package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Numbers of an indexed job, kept as ranges: a job may have a hundred thousand of them. Immutable; written as
 * {@code 1,3-5,7}.
 */
record Indexes(List<Range> ranges) {
    static final Indexes NONE = new Indexes(List.of());

    /** Consecutive numbers, both ends included. */
    record Range(int first, int last) {
        int size() {
            return last - first + 1;
        }
    }

    /** Reads what a status or a policy says; numbers from the limit on do not count, nor does what cannot be read. */
    static Indexes parse(String text, int limit) {
        List<Range> ranges = new ArrayList<>();
        if (text.isEmpty()) {
            return NONE;
        }
        for (String part : text.split(",", -1)) {
            int hyphen = part.indexOf('-');
            try {
                int first = Integer.parseInt(hyphen < 0 ? part : part.substring(0, hyphen));
                int last = hyphen < 0 ? first : Integer.parseInt(part.substring(hyphen + 1));
                if (first >= limit) {
                    break;
                }
                add(ranges, first, Math.min(last, limit - 1));
            } catch (NumberFormatException e) {
                // The API checks what is written here; whatever slipped through must not stop the job.
                break;
            }
        }
        return new Indexes(List.copyOf(ranges));
    }

    static Indexes of(Collection<Integer> numbers) {
        return NONE.with(numbers);
    }

    /** Numbers must come in order. */
    private static void add(List<Range> ranges, int first, int last) {
        Range before = ranges.isEmpty() ? null : ranges.getLast();
        if (before != null && first <= before.last() + 1) {
            ranges.set(ranges.size() - 1, new Range(before.first(), Math.max(before.last(), last)));
        } else if (first <= last) {
            ranges.add(new Range(first, last));
        }
    }

    Indexes with(Collection<Integer> numbers) {
        List<Range> more = new ArrayList<>();
        for (int number : new TreeSet<>(numbers)) {
            add(more, number, number);
        }
        return with(new Indexes(more));
    }

    Indexes with(Indexes other) {
        List<Range> merged = new ArrayList<>(ranges.size() + other.ranges.size());
        int mine = 0;
        int theirs = 0;
        while (mine < ranges.size() || theirs < other.ranges.size()) {
            boolean takeMine = theirs == other.ranges.size()
                    || (mine < ranges.size()
                            && ranges.get(mine).first()
                                    <= other.ranges.get(theirs).first());
            Range next = takeMine ? ranges.get(mine++) : other.ranges.get(theirs++);
            add(merged, next.first(), next.last());
        }
        return new Indexes(List.copyOf(merged));
    }

    boolean has(int number) {
        int low = 0;
        int high = ranges.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Range range = ranges.get(middle);
            if (number < range.first()) {
                high = middle - 1;
            } else if (number > range.last()) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    int size() {
        return ranges.stream().mapToInt(Range::size).sum();
    }

    /** How many numbers are in both. */
    int sizeOfCommon(Indexes other) {
        int common = 0;
        int theirs = 0;
        for (Range range : ranges) {
            while (theirs < other.ranges.size() && other.ranges.get(theirs).last() < range.first()) {
                theirs++;
            }
            for (int i = theirs; i < other.ranges.size() && other.ranges.get(i).first() <= range.last(); i++) {
                Range each = other.ranges.get(i);
                common += Math.min(each.last(), range.last()) - Math.max(each.first(), range.first()) + 1;
            }
        }
        return common;
    }

    /** The first numbers below the limit that are not in here. */
    List<Integer> firstMissing(int count, int limit) {
        List<Integer> missing = new ArrayList<>();
        int candidate = 0;
        for (Range range : ranges) {
            for (; candidate < limit && missing.size() < count && candidate < range.first(); candidate++) {
                missing.add(candidate);
            }
            candidate = Math.max(candidate, range.last() + 1);
        }
        for (; candidate < limit && missing.size() < count; candidate++) {
            missing.add(candidate);
        }
        return missing;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Range range : ranges) {
            if (!text.isEmpty()) {
                text.append(',');
            }
            text.append(range.first());
            if (range.size() > 1) {
                text.append(range.size() == 2 ? ',' : '-').append(range.last());
            }
        }
        return text.toString();
    }
}
