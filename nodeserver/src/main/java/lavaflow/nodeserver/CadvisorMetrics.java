package lavaflow.nodeserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The figures of a summary under the names that dashboards look for (/metrics/cadvisor). */
final class CadvisorMetrics {
    private record Metric(String type, String help, List<String> samples) {}

    private final Map<String, Metric> metrics = new LinkedHashMap<>();

    private CadvisorMetrics() {
        add("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.");
        add("container_memory_usage_bytes", "gauge", "Current memory usage in bytes, including all memory.");
        add("container_memory_working_set_bytes", "gauge", "Current working set in bytes.");
        add("container_memory_rss", "gauge", "Size of RSS in bytes.");
        add("container_fs_usage_bytes", "gauge", "Number of bytes that are consumed by the container.");
        add("container_processes", "gauge", "Number of processes running inside the container.");
        add("container_network_receive_bytes_total", "counter", "Cumulative count of bytes received.");
        add("container_network_transmit_bytes_total", "counter", "Cumulative count of bytes transmitted.");
    }

    private void add(String name, String type, String help) {
        metrics.put(name, new Metric(type, help, new ArrayList<>()));
    }

    static String of(ObjectNode summary) {
        CadvisorMetrics made = new CadvisorMetrics();
        made.group("", "", "", "/", summary.path("node"));
        for (JsonNode pod : Json.listAt(summary, "pods")) {
            String namespace = Json.textAt(pod, "podRef", "namespace");
            String name = Json.textAt(pod, "podRef", "name");
            String id = "/kubepods/pod" + Json.textAt(pod, "podRef", "uid");
            made.group(namespace, name, "", id, pod);
            for (JsonNode container : Json.listAt(pod, "containers")) {
                String of = Json.textAt(container, "name");
                made.group(namespace, name, of, id + "/" + of, container);
            }
        }
        return made.print();
    }

    private void group(String namespace, String pod, String container, String id, JsonNode figures) {
        String labels = "{container=" + quote(container) + ",id=" + quote(id) + ",namespace=" + quote(namespace)
                + ",pod=" + quote(pod) + "}";
        long nanos = Json.longAt(figures, -1, "cpu", "usageCoreNanoSeconds");
        if (nanos >= 0) {
            say("container_cpu_usage_seconds_total", labels, String.format(Locale.ROOT, "%.9f", nanos / 1e9));
        }
        count("container_memory_usage_bytes", labels, figures, "memory", "usageBytes");
        count("container_memory_working_set_bytes", labels, figures, "memory", "workingSetBytes");
        count("container_memory_rss", labels, figures, "memory", "rssBytes");
        count("container_fs_usage_bytes", labels, figures, "rootfs", "usedBytes");
        count("container_processes", labels, figures, "process_stats", "process_count");
        if (container.isEmpty()) {
            String interfaced = labels.replace(
                    ",namespace=", ",interface=" + quote(Json.textAt(figures, "network", "name")) + ",namespace=");
            count("container_network_receive_bytes_total", interfaced, figures, "network", "rxBytes");
            count("container_network_transmit_bytes_total", interfaced, figures, "network", "txBytes");
        }
    }

    private void count(String metric, String labels, JsonNode figures, String... path) {
        long value = Json.longAt(figures, -1, path);
        if (value >= 0) {
            say(metric, labels, Long.toString(value));
        }
    }

    private void say(String name, String labels, String value) {
        Metric metric = metrics.get(name);
        if (metric != null) {
            metric.samples().add(name + labels + " " + value + "\n");
        }
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    private String print() {
        StringBuilder text = new StringBuilder();
        metrics.forEach((name, metric) -> {
            if (!metric.samples().isEmpty()) {
                text.append("# HELP ")
                        .append(name)
                        .append(' ')
                        .append(metric.help())
                        .append('\n');
                text.append("# TYPE ")
                        .append(name)
                        .append(' ')
                        .append(metric.type())
                        .append('\n');
                metric.samples().forEach(text::append);
            }
        });
        return text.toString();
    }
}
