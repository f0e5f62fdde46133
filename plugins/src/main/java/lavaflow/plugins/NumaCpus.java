package lavaflow.plugins;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

import lavaflow.gang.NumatopologySpec;

import org.jspecify.annotations.Nullable;

/**
 * The processors of a node, and how its kubelet would deal them out: which memory they should be near (the topology manager), and
 * which ones it takes then (the CPU manager's static policy).
 */
final class NumaCpus {
    /** More parts of memory than this are not tried in all their combinations. */
    private static final int MOST_PARTS = 8;

    /**
     * Parts of memory that have enough free processors.
     *
     * @param preferred whether no fewer parts could ever do
     */
    record Hint(BitSet parts, boolean preferred) {}

    private final Map<Integer, NumatopologySpec.Cpu> cpus;
    private final NavigableSet<Integer> parts = new TreeSet<>();

    NumaCpus(Map<Integer, NumatopologySpec.Cpu> cpus) {
        this.cpus = cpus;
        cpus.values().forEach(cpu -> parts.add(cpu.numa()));
    }

    private NumatopologySpec.Cpu at(int cpu) {
        NumatopologySpec.Cpu where = cpus.get(cpu);
        return where == null ? new NumatopologySpec.Cpu(0, 0, cpu) : where;
    }

    /** Reads a list like {@code 0-3,8}; what cannot be read is left out. */
    static NavigableSet<Integer> parse(String text) {
        NavigableSet<Integer> found = new TreeSet<>();
        for (String range : text.split(",", -1)) {
            String[] ends = range.strip().split("-", 2);
            if (isNumber(ends[0]) && isNumber(ends[ends.length - 1])) {
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int cpu = Integer.parseInt(ends[0]); cpu <= last; cpu++) {
                    found.add(cpu);
                }
            }
        }
        return found;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() < 6 && text.chars().allMatch(Character::isDigit);
    }

    /** All processors, for what the system keeps. */
    NavigableSet<Integer> all() {
        return new TreeSet<>(cpus.keySet());
    }

    // ---- near which memory ----

    /** Every choice of parts of memory that has enough free processors. */
    List<Hint> hints(NavigableSet<Integer> free, int wanted) {
        List<Integer> all = List.copyOf(parts);
        int least = all.size();
        List<BitSet> fitting = new ArrayList<>();
        for (BitSet some : choices(all)) {
            if (count(cpus.keySet(), some) >= wanted) {
                least = Math.min(least, some.cardinality());
            }
            if (count(free, some) >= wanted) {
                fitting.add(some);
            }
        }
        List<Hint> hints = new ArrayList<>();
        for (BitSet each : fitting) {
            hints.add(new Hint(each, each.cardinality() == least));
        }
        return hints;
    }

    /** Where there are very many parts: single ones, and all of them. */
    private static List<BitSet> choices(List<Integer> all) {
        List<BitSet> choices = new ArrayList<>();
        boolean few = all.size() <= MOST_PARTS;
        for (int mask = 1; few && mask < 1 << all.size(); mask++) {
            BitSet some = new BitSet();
            for (int i = 0; i < all.size(); i++) {
                if ((mask & 1 << i) != 0) {
                    some.set(all.get(i));
                }
            }
            choices.add(some);
        }
        if (!few) {
            BitSet whole = new BitSet();
            for (int part : all) {
                BitSet one = new BitSet();
                one.set(part);
                choices.add(one);
                whole.set(part);
            }
            choices.add(whole);
        }
        return choices;
    }

    private long count(Iterable<Integer> some, BitSet near) {
        long count = 0;
        for (int cpu : some) {
            count += near.get(at(cpu).numa()) ? 1 : 0;
        }
        return count;
    }

    /** The best of some: a preferred one, then the narrowest, then the one of the lowest numbers; null if there is none. */
    static @Nullable Hint best(List<Hint> hints) {
        return hints.stream()
                .min(Comparator.comparing((Hint hint) -> !hint.preferred())
                        .thenComparingInt(hint -> hint.parts().cardinality())
                        .thenComparingLong(hint ->
                                hint.parts().isEmpty() ? 0 : hint.parts().toLongArray()[0]))
                .orElse(null);
    }

    // ---- which ones ----

    /** Processors near some parts of memory first, then others; null if there are not enough. */
    @Nullable
    NavigableSet<Integer> take(NavigableSet<Integer> free, int wanted, @Nullable BitSet near) {
        NavigableSet<Integer> taken = new TreeSet<>();
        NavigableSet<Integer> left = new TreeSet<>(free);
        if (near != null) {
            NavigableSet<Integer> close = new TreeSet<>(free);
            close.removeIf(cpu -> !near.get(at(cpu).numa()));
            takeWell(close, Math.min(wanted, close.size()), taken);
            left.removeAll(taken);
        }
        if (left.size() < wanted - taken.size()) {
            return null;
        }
        NavigableSet<Integer> others = new TreeSet<>();
        takeWell(left, wanted - taken.size(), others);
        taken.addAll(others);
        return taken;
    }

    /** Whole sockets, then whole cores, then single processors, as close together as can be. */
    private void takeWell(NavigableSet<Integer> free, int wanted, NavigableSet<Integer> taken) {
        NavigableSet<Integer> left = new TreeSet<>(free);
        takeWhole(left, wanted, taken, cpu -> at(cpu).socket());
        takeWhole(left, wanted, taken, this::core);
        while (taken.size() < wanted) {
            int next = left.stream().min(single(left, taken)).orElseThrow();
            left.remove(next);
            taken.add(next);
        }
    }

    /** Cores are numbered anew on every socket by some machines. */
    private int core(int cpu) {
        return at(cpu).socket() * 100_000 + at(cpu).core();
    }

    private void takeWhole(
            NavigableSet<Integer> left, int wanted, NavigableSet<Integer> taken, ToIntFunction<Integer> unit) {
        Map<Integer, List<Integer>> whole = new TreeMap<>();
        cpus.keySet()
                .forEach(cpu -> whole.computeIfAbsent(unit.applyAsInt(cpu), _ -> new ArrayList<>())
                        .add(cpu));
        whole.values().removeIf(each -> !left.containsAll(each));
        Map<Integer, Integer> bySocket = new TreeMap<>();
        whole.values().forEach(each -> bySocket.merge(at(each.getFirst()).socket(), 1, Integer::sum));
        // Where little is left it is used up first.
        List<List<Integer>> order = new ArrayList<>(whole.values());
        order.sort(Comparator.comparingInt(
                each -> bySocket.getOrDefault(at(each.getFirst()).socket(), 0)));
        for (List<Integer> each : order) {
            if (each.size() <= wanted - taken.size()) {
                taken.addAll(each);
                left.removeAll(each);
            }
        }
    }

    /** Beside what was taken, then where little is left. */
    private Comparator<Integer> single(NavigableSet<Integer> left, NavigableSet<Integer> taken) {
        return Comparator.comparing(
                        (Integer cpu) -> taken.stream().noneMatch(each -> at(each).socket() == at(cpu).socket()))
                .thenComparingLong(cpu -> left.stream()
                        .filter(each -> at(each).socket() == at(cpu).socket())
                        .count())
                .thenComparingLong(cpu ->
                        left.stream().filter(each -> core(each) == core(cpu)).count())
                .thenComparingInt(this::core)
                .thenComparingInt(cpu -> cpu);
    }

    /** How many processors of each part of memory some are. */
    Map<Integer, Integer> byPart(NavigableSet<Integer> some) {
        Map<Integer, Integer> counts = new TreeMap<>();
        some.forEach(cpu -> counts.merge(at(cpu).numa(), 1, Integer::sum));
        return counts;
    }
}
