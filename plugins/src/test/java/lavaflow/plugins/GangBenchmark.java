package lavaflow.plugins;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

import lavaflow.gang.Decision;

import org.jspecify.annotations.Nullable;

/** How long decisions take, in processor time of the thread that makes them; see {@code bench/gangs}. */
final class GangBenchmark {
    private static final int RUNS = 24;
    private static final String EVICTING = """
            actions: "enqueue, allocate, backfill, preempt, reclaim"
            tiers:
            - plugins:
              - name: priority
              - name: gang
                enablePreemptable: false
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
                enablePreemptable: false
              - name: predicates
              - name: proportion
              - name: nodeorder
            """;

    private static final String WHOLE = """
            actions: "enqueue, allocate, gangpreempt, gangreclaim"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
              - name: predicates
              - name: proportion
              - name: nodeorder
            """;
    private static final String PACKING = """
            actions: "enqueue, allocate, backfill"
            tiers:
            - plugins:
              - name: priority
              - name: gang
              - name: conformance
            - plugins:
              - name: overcommit
              - name: drf
              - name: predicates
              - name: proportion
              - name: binpack
            """;

    private static List<String> only = List.of();

    private GangBenchmark() {}

    /**
     * Measures all, or what is named.
     *
     * @param arguments words of what is to be measured
     */
    public static void main(String[] arguments) {
        only = List.of(arguments);
        tell("one gang of 10,000 equal pods on 5,000 nodes", 10_000, GangBenchmark::oneGang);
        tell("a gang of 10,000 equal pods on 5,000 nodes that lacks room for one", 0, GangBenchmark::tooLarge);
        tell("2,000 gangs of 10 pods of 40 kinds on 5,000 nodes", 20_000, GangBenchmark::mixed);
        tell("the same, packed by binpack", 20_000, () -> mixed(PACKING));
        tell("preempting for a gang of 1,000 on 1,000 full nodes", 1000, () -> evicting(EVICTING, "a", "high"));
        tell("reclaiming for a gang of 1,000 on 1,000 nodes with 8 jobs each", 1000, () -> evicting(EVICTING, "b", ""));
        tell("preempting the same by gangpreempt", 1000, () -> evicting(WHOLE, "a", "high"));
        tell("reclaiming the same by gangreclaim", 1000, () -> evicting(WHOLE, "b", ""));
        if (isWanted("100,000 gangs wait")) {
            waiting();
        }
        if (isWanted("memory and restart")) {
            GangMemory.tell();
        }
    }

    private static boolean isWanted(String what) {
        return only.isEmpty() || only.stream().anyMatch(what::contains);
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void tell(String what, int decisions, LongSupplier run) {
        if (!isWanted(what)) {
            return;
        }
        long[] times = new long[RUNS];
        Arrays.setAll(times, _ -> run.getAsLong());
        long[] warm = Arrays.copyOfRange(times, RUNS / 2, RUNS);
        Arrays.sort(warm);
        long median = warm[warm.length / 2];
        System.out.printf(
                Locale.ROOT,
                "%-66s first %7.1f ms, warm: median %7.2f ms, worst %7.2f ms%s%n",
                what,
                times[0] / 1e6,
                median / 1e6,
                warm[warm.length - 1] / 1e6,
                decisions == 0 ? "" : ", %,.0f a second".formatted(decisions * 1e9 / median));
    }

    private static long decide(TestingGangs gangs, Class<? extends Decision> kind, int expected) {
        long start = now();
        List<Decision> decisions = gangs.decide();
        long took = now() - start;
        long found = decisions.stream().filter(kind::isInstance).count();
        if (found != expected) {
            throw new IllegalStateException(found + " decisions instead of " + expected);
        }
        return took;
    }

    private static long oneGang() {
        TestingGangs gangs = new TestingGangs();
        for (int i = 0; i < 5000; i++) {
            gangs.node("node-" + i, 64);
        }
        gangs.gang("g", 10_000);
        return decide(gangs, Decision.Bind.class, 10_000);
    }

    private static long tooLarge() {
        TestingGangs gangs = new TestingGangs();
        for (int i = 0; i < 5000; i++) {
            gangs.node("node-" + i, 2, "{\"status\":{\"allocatable\":{\"cpu\":\"" + (i == 0 ? 1 : 2) + "\"}}}");
        }
        gangs.gang("g", 10_000);
        return decide(gangs, Decision.Bind.class, 0);
    }

    private static long mixed() {
        return mixed(null);
    }

    private static long mixed(@Nullable String configuration) {
        TestingGangs gangs = new TestingGangs();
        if (configuration != null) {
            gangs.configured(configuration);
        }
        for (int i = 0; i < 5000; i++) {
            gangs.node("node-" + i, 64);
        }
        for (int gang = 0; gang < 2000; gang++) {
            gangs.group("g" + gang, 10);
            for (int i = 0; i < 10; i++) {
                gangs.pod(
                        "g" + gang + "-" + i,
                        "g" + gang,
                        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%d\",\"memory\":\"%dGi\"}}}]}}"
                                .formatted(1 + (gang * 7 + i) % 8, 1 + (gang + i) % 5));
            }
        }
        return decide(gangs, Decision.Bind.class, 20_000);
    }

    private static long evicting(String configuration, String queue, String priority) {
        TestingGangs gangs = new TestingGangs().configured(configuration);
        gangs.core.onPriority("high", 100, false);
        gangs.queue("a").queue("b");
        for (int i = 0; i < 1000; i++) {
            gangs.node("node-" + i, 8);
            for (int job = 0; job < 8; job++) {
                gangs.runs("r" + i + "-" + job, 0, 1, "node-" + i, TestingGangs.queued("a"));
            }
        }
        while (gangs.core.nextChange() != null) {
            gangs.decide();
        }
        gangs.gang("h", 1000, "{\"spec\":{\"queue\":\"" + queue + "\",\"priorityClassName\":\"" + priority + "\"}}");
        return decide(gangs, Decision.Evict.class, 1000);
    }

    private static void waiting() {
        TestingGangs gangs = new TestingGangs();
        for (int i = 0; i < 1000; i++) {
            gangs.node("node-" + i, 2);
        }
        for (int i = 0; i < 100_000; i++) {
            gangs.gang("g" + i, 1);
        }
        while (gangs.core.nextChange() != null) {
            gangs.decide();
        }
        tell("100,000 gangs wait and nothing happens", 0, () -> decide(gangs, Decision.Bind.class, 0));
        int[] more = {0};
        tell("100,000 gangs wait and one more comes", 0, () -> {
            gangs.gang("more" + more[0]++, 1);
            return decide(gangs, Decision.Bind.class, 0);
        });
    }
}
