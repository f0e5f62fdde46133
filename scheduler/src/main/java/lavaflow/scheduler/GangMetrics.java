package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import lavaflow.gang.Amounts;
import lavaflow.gang.Decision;
import lavaflow.gang.Gang;
import lavaflow.gang.GangCore;
import lavaflow.gang.Onlooker;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Stage;
import lavaflow.placement.Columns;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/**
 * What is measured of the scheduling of gangs, under Volcano's names. What is counted is safe to use from anywhere; what is told of gangs
 * and queues is worked out when somebody asks, on the scheduler's thread, so that gangs that are gone leave nothing behind.
 */
final class GangMetrics implements Onlooker {
    private static final double NANOS = 1e6;
    private static final int THOUSAND = 1000;
    private static final String ASSUMED = label("stage", "Assumed");
    private static final String BIND = label("stage", "Bind");
    private static final String BOUND = label("stage", "Bound");

    /** What is remembered of a gang beyond the round. */
    private static final class Past {
        private long rounds;
        private @Nullable Instant scheduled;
    }

    private final LongSupplier nanoTime;
    private final Latencies rounds = new Latencies("volcano_e2e_scheduling_latency_milliseconds");
    private final Latencies opening = new Latencies("volcano_open_session_duration_milliseconds");
    private final Latencies gangs = new Latencies("volcano_e2e_job_scheduling_latency_milliseconds");
    private final Latencies plugins = new Latencies("volcano_plugin_scheduling_latency_milliseconds");
    private final Latencies actions = new Latencies("volcano_action_scheduling_latency_milliseconds");
    private final Latencies pods = new Latencies("volcano_task_scheduling_latency_milliseconds");
    private final Latencies stages = new Latencies("volcano_scheduling_stage_duration_milliseconds");
    private final Map<String, LongAdder> attempts = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> evictions = new ConcurrentHashMap<>();
    private final LongAdder preemptions = new LongAdder();
    /** Of the last round that had some. */
    private volatile long victims;

    private final Map<String, Past> pasts = new HashMap<>();
    /** By names of plugins and actions: a round, of which there are hundreds a second, makes none. */
    private final Map<Part, Map<String, String>> labels = new EnumMap<>(Part.class);

    GangMetrics(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    // ---- what happens ----

    @Override
    public void during(Part part, String name, Runnable work) {
        long began = nanoTime.getAsLong();
        work.run();
        double took = (nanoTime.getAsLong() - began) / NANOS;
        switch (part) {
            case OPEN -> opening.add("", took);
            case PLUGIN_OPEN -> plugins.add(plugin(part, name, "OnSessionOpen"), took);
            case PLUGIN_CLOSE -> plugins.add(plugin(part, name, "OnSessionClose"), took);
            case ACTION -> actions.add(labels(part).computeIfAbsent(name, each -> label("action", each)), took);
        }
    }

    private String plugin(Part part, String name, String moment) {
        return labels(part).computeIfAbsent(name, each -> label("plugin", each) + "," + label("OnSession", moment));
    }

    private Map<String, String> labels(Part part) {
        return labels.computeIfAbsent(part, _ -> new HashMap<>());
    }

    /** What a round has decided. */
    void round(long began, List<Decision> decisions, Instant now) {
        rounds.add("", (nanoTime.getAsLong() - began) / NANOS);
        Map<String, Long> gone = new TreeMap<>();
        for (Decision decision : decisions) {
            switch (decision) {
                case Decision.Bind bind -> {
                    attempt("scheduled");
                    pods.add(ASSUMED, since(bind.member().spec().pod(), now));
                }
                case Decision.Wait _ -> attempt("unschedulable");
                case Decision.Evict evict -> gone.merge(evict.why(), 1L, Long::sum);
                case Decision.Status(var gang, var status) -> {
                    if (status.condition() != null && status.condition().type().equals("Scheduled")) {
                        scheduled(gang, now);
                    } else if (!gang.isReady()) {
                        past(gang).rounds++;
                    }
                }
                case Decision.Refuse _ -> {}
            }
        }
        gone.forEach((action, count) -> {
            evictions.computeIfAbsent(action, _ -> new LongAdder()).increment();
            preemptions.increment();
            victims = count;
        });
    }

    private void scheduled(Gang gang, Instant now) {
        Past past = past(gang);
        if (past.scheduled == null) {
            past.scheduled = now;
            gangs.add("", millis(gang.spec().created(), now));
        }
    }

    private Past past(Gang gang) {
        return pasts.computeIfAbsent(gang.spec().uid(), _ -> new Past());
    }

    private void attempt(String result) {
        attempts.computeIfAbsent(result, _ -> new LongAdder()).increment();
    }

    /** A pod has got its node; called on any thread. */
    void bound(ScheduledPod pod, long began, Instant now) {
        stages.add(BIND, (nanoTime.getAsLong() - began) / NANOS);
        pods.add(BOUND, since(pod, now));
    }

    /** A pod did not get its node; called on any thread. */
    void unbound() {
        attempt("error");
    }

    long time() {
        return nanoTime.getAsLong();
    }

    private static double since(ScheduledPod pod, Instant now) {
        return millis(pod.created(), now);
    }

    private static double millis(Instant from, Instant to) {
        return Math.max(0, Duration.between(from, to).toMillis());
    }

    // ---- what is told ----

    /** What was counted. */
    String counted() {
        StringBuilder out = new StringBuilder();
        for (Latencies each : List.of(rounds, opening, gangs, plugins, actions, pods, stages)) {
            each.print(out);
        }
        counter(out, "volcano_schedule_attempts_total", "result", attempts);
        counter(out, "volcano_eviction_transactions_total", "action", evictions);
        type(out, "volcano_total_preemption_attempts", "counter");
        line(out, "volcano_total_preemption_attempts", "", (double) preemptions.sum());
        type(out, "volcano_pod_preemption_victims", "gauge");
        line(out, "volcano_pod_preemption_victims", "", (double) victims);
        return out.toString();
    }

    private static void counter(StringBuilder out, String name, String label, Map<String, LongAdder> counts) {
        type(out, name, "counter");
        new TreeMap<>(counts).forEach((value, count) -> line(out, name, label(label, value), (double) count.sum()));
    }

    /** How gangs and queues are; on the scheduler's thread. */
    String now(GangCore core, Columns columns, int podsColumn) {
        SortedMap<String, List<String>> lines = new TreeMap<>();
        pasts.keySet()
                .retainAll(core.gangs().stream().map(gang -> gang.spec().uid()).toList());
        jobs(core, lines);
        for (Queue queue : core.queues()) {
            new QueueLines(queue, columns, podsColumn, lines).add(core);
        }
        StringBuilder out = new StringBuilder();
        lines.forEach((name, each) -> {
            type(out, name, name.equals("volcano_job_retry_counts") ? "counter" : "gauge");
            each.forEach(out::append);
        });
        return out.toString();
    }

    private void jobs(GangCore core, SortedMap<String, List<String>> lines) {
        long unscheduled = 0;
        for (Gang gang : core.gangs()) {
            String id = label("job_id", gang.spec().key());
            String labels = label("job_name", gang.spec().name()) + ","
                    + label("queue", gang.spec().queue()) + ","
                    + label("job_namespace", gang.spec().namespace());
            Past past = pasts.get(gang.spec().uid());
            put(
                    lines,
                    "volcano_e2e_job_scheduling_start_time",
                    labels,
                    seconds(gang.spec().created()));
            if (past != null && past.scheduled != null) {
                put(lines, "volcano_e2e_job_scheduling_last_time", labels, seconds(past.scheduled));
                double took = millis(gang.spec().created(), past.scheduled);
                put(lines, "volcano_e2e_job_scheduling_duration", labels, took);
            }
            int waiting = gang.tally().of(Stage.PENDING) + gang.tally().of(Stage.PIPELINED);
            unscheduled += gang.isReady() ? 0 : 1;
            put(lines, "volcano_unschedule_task_count", id, waiting);
            put(lines, "volcano_job_share", label("job_ns", gang.spec().namespace()) + "," + id, core.share(gang));
            put(lines, "volcano_job_retry_counts", id, past == null ? 0 : (double) past.rounds);
        }
        put(lines, "volcano_unschedule_job_count", "", (double) unscheduled);
    }

    private static double seconds(Instant time) {
        return time.toEpochMilli() / (double) THOUSAND;
    }

    /** The lines of one queue. */
    private record QueueLines(Queue queue, Columns columns, int podsColumn, SortedMap<String, List<String>> lines) {
        void add(GangCore core) {
            amounts("allocated", queue.allocated());
            amounts("request", queue.request());
            amounts("inqueue", queue.inqueue());
            amounts("capacity", queue.capability());
            Plugin.Share share = core.share(queue);
            if (share != null) {
                amounts("deserved", share.deserved());
                amounts("real_capacity", share.capacity());
                value("share", share.share());
            }
            value("weight", queue.spec().weight());
            value("overused", core.isOverused(queue) ? 1 : 0);
        }

        private void value(String what, double amount) {
            put(lines, "volcano_queue_" + what, name(), amount);
        }

        private String name() {
            return label("queue_name", queue.spec().name());
        }

        /** Without those that are not limited. */
        private void amounts(String what, Amounts amounts) {
            for (int column = 0; column < columns.size(); column++) {
                double amount = amounts.get(column);
                if (column == Columns.CPU && Double.isFinite(amount)) {
                    value(what + "_milli_cpu", amount);
                } else if (column == Columns.MEMORY && Double.isFinite(amount)) {
                    value(what + "_memory_bytes", amount);
                } else if (Double.isFinite(amount) && !amounts.lacks(column)) {
                    put(
                            lines,
                            "volcano_queue_" + what + "_scalar_resources",
                            name() + "," + label("resource", columns.name(column)),
                            amount * (column == podsColumn ? 1 : THOUSAND));
                }
            }
        }
    }

    private static void put(SortedMap<String, List<String>> lines, String name, String labels, double value) {
        StringBuilder line = new StringBuilder();
        line(line, name, labels, value);
        lines.computeIfAbsent(name, _ -> new ArrayList<>()).add(line.toString());
    }

    private static void type(StringBuilder out, String name, String type) {
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void line(StringBuilder out, String name, String labels, double value) {
        out.append(name);
        if (!labels.isEmpty()) {
            out.append('{').append(labels).append('}');
        }
        out.append(' ').append(number(value)).append('\n');
    }

    /** Names of the API hold nothing that would have to be escaped. */
    static String label(String name, String value) {
        return name + "=\"" + value + "\"";
    }

    /** Whole numbers without a point. */
    static String number(double value) {
        long whole = (long) value;
        return whole == value ? Long.toString(whole) : Double.toString(value);
    }
}
