package lavaflow.apiserver;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import lavaflow.fairness.FlowControl;
import lavaflow.store.Store;
import lavaflow.store.StoreStatistics;

/**
 * Counts requests under upstream's metric names and prints them in Prometheus' text format.
 *
 * <p>Written here rather than taken from a library: four kinds of series do not pay for a registry on the start-up path.
 */
final class RequestMetrics {
    private static final double[] BUCKETS = {
        0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60
    };
    /** Labels come from paths that clients make up; beyond this they are counted together. */
    private static final int MAX_SERIES = 2_000;

    private final Map<String, LongAdder> totals = new ConcurrentSkipListMap<>();
    private final Map<String, Histogram> durations = new ConcurrentSkipListMap<>();
    private final AtomicInteger mutating = new AtomicInteger();
    private final AtomicInteger readOnly = new AtomicInteger();
    private final List<Supplier<String>> others = new CopyOnWriteArrayList<>();
    private final Store store;
    private final Watches watches;
    private final FlowControl flowControl;

    RequestMetrics(Store store, Watches watches, FlowControl flowControl) {
        this.store = store;
        this.watches = watches;
        this.flowControl = flowControl;
    }

    /** Others in the process have something to show, too. */
    void alsoPrint(Supplier<String> text) {
        others.add(text);
    }

    void begin(RequestInfo info) {
        inflight(info).incrementAndGet();
    }

    void end(RequestInfo info, int status, long nanos) {
        inflight(info).decrementAndGet();
        String verb = info.verb().equals("get") || info.resourceRequest()
                ? info.verb().toUpperCase(java.util.Locale.ROOT)
                : "GET";
        boolean known = info.resourceRequest() && status != 404;
        String labels = "group=\"" + (known ? info.group() : "") + "\",resource=\"" + (known ? info.resource() : "")
                + "\",subresource=\"" + (known ? info.subresource() : "") + "\",verb=\"" + verb + "\",version=\""
                + (known ? info.version() : "") + "\"";
        String counted = "code=\"" + status + "\"," + labels;
        adder(totals, counted).increment();
        if (!verb.equals("WATCH")) {
            Histogram histogram = durations.get(labels);
            if (histogram == null) {
                histogram = durations.size() >= MAX_SERIES
                        ? durations.computeIfAbsent("resource=\"other\"", _ -> new Histogram())
                        : durations.computeIfAbsent(labels, _ -> new Histogram());
            }
            histogram.observe(nanos / 1e9);
        }
    }

    private AtomicInteger inflight(RequestInfo info) {
        return switch (info.verb()) {
            case "create", "update", "patch", "delete", "deletecollection" -> mutating;
            default -> readOnly;
        };
    }

    private static LongAdder adder(Map<String, LongAdder> map, String labels) {
        LongAdder adder = map.get(labels);
        if (adder != null) {
            return adder;
        }
        String key = map.size() >= MAX_SERIES ? "resource=\"other\"" : labels;
        return map.computeIfAbsent(key, _ -> new LongAdder());
    }

    String text() {
        StringBuilder out = new StringBuilder(16 * 1024);
        out.append("# TYPE apiserver_request_total counter\n");
        totals.forEach((labels, count) -> line(out, "apiserver_request_total", labels, count.sum()));
        out.append("# TYPE apiserver_request_duration_seconds histogram\n");
        durations.forEach((labels, histogram) -> histogram.print(out, labels));
        out.append("# TYPE apiserver_current_inflight_requests gauge\n");
        line(out, "apiserver_current_inflight_requests", "request_kind=\"mutating\"", mutating.get());
        line(out, "apiserver_current_inflight_requests", "request_kind=\"readOnly\"", readOnly.get());
        out.append("# TYPE apiserver_longrunning_requests gauge\n");
        line(out, "apiserver_longrunning_requests", "verb=\"WATCH\"", watches.count());
        out.append(flowControl.metrics());
        storage(out);
        others.forEach(other -> out.append(other.get()));
        Runtime runtime = Runtime.getRuntime();
        out.append("# TYPE jvm_memory_used_bytes gauge\n");
        line(out, "jvm_memory_used_bytes", "area=\"heap\"", runtime.totalMemory() - runtime.freeMemory());
        return out.toString();
    }

    private void storage(StringBuilder out) {
        StoreStatistics statistics = store.statistics();
        out.append("# TYPE apiserver_storage_objects gauge\n");
        statistics.objects().forEach((bucket, count) -> {
            int slash = bucket.lastIndexOf('/');
            String resource = slash < 0 ? bucket : bucket.substring(slash + 1) + "." + bucket.substring(0, slash);
            line(out, "apiserver_storage_objects", "resource=\"" + resource + "\"", count);
        });
        out.append("# TYPE lavaflow_store_revision gauge\n");
        out.append("lavaflow_store_revision ").append(store.revision()).append('\n');
    }

    private static void line(StringBuilder out, String name, String labels, long value) {
        out.append(name).append('{').append(labels).append("} ").append(value).append('\n');
    }

    private static final class Histogram {
        private final LongAdder[] counts = new LongAdder[BUCKETS.length + 1];
        private final java.util.concurrent.atomic.DoubleAdder sum = new java.util.concurrent.atomic.DoubleAdder();

        Histogram() {
            java.util.Arrays.setAll(counts, _ -> new LongAdder());
        }

        void observe(double seconds) {
            int bucket = 0;
            while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]) {
                bucket++;
            }
            counts[bucket].increment();
            sum.add(seconds);
        }

        void print(StringBuilder out, String labels) {
            String name = "apiserver_request_duration_seconds";
            long total = 0;
            for (int i = 0; i < BUCKETS.length; i++) {
                total += counts[i].sum();
                line(out, name + "_bucket", labels + ",le=\"" + BUCKETS[i] + "\"", total);
            }
            total += counts[BUCKETS.length].sum();
            line(out, name + "_bucket", labels + ",le=\"+Inf\"", total);
            out.append(name)
                    .append("_sum{")
                    .append(labels)
                    .append("} ")
                    .append(sum.sum())
                    .append('\n');
            line(out, name + "_count", labels, total);
        }
    }
}
