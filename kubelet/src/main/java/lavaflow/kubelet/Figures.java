package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.linux.FileSystemRoom;
import lavaflow.linux.FileTree;
import lavaflow.sandbox.Usage;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What the node, its pods and their containers use, as {@code /stats/summary} and {@code /metrics/resource} tell it. */
final class Figures {
    private static final long NANOS = 1_000_000_000;
    /** A rate is worth something over so much time. */
    private static final long LEAST_NANOS = NANOS / 2;

    private static final String GAUGE = "gauge";

    private static final long UNKNOWN = -1;

    private record Sample(long cpuNanos, long atNanos, long rate) {}

    private final NodeSettings settings;
    private final InstantSource clock;
    private final Map<String, Sample> samples = new LinkedHashMap<>();

    Figures(NodeSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Processor time used a second, since the last time anybody asked; unknown to whoever asks first. */
    private synchronized long rate(String key, long cpuNanos) {
        long now = System.nanoTime();
        Sample before = samples.get(key);
        if (before != null && now - before.atNanos() < LEAST_NANOS) {
            return before.rate();
        }
        long rate = before == null || cpuNanos < before.cpuNanos()
                ? UNKNOWN
                : (long) ((double) (cpuNanos - before.cpuNanos()) * NANOS / (now - before.atNanos()));
        samples.put(key, new Sample(cpuNanos, now, rate));
        return rate;
    }

    private synchronized void forgetOthers(Set<String> keys) {
        samples.keySet().removeIf(key -> !keys.contains(key));
    }

    ObjectNode summary(Collection<PodLife> lives) {
        Instant now = clock.instant();
        Set<String> keys = new HashSet<>();
        ObjectNode summary = Json.object();
        summary.set("node", node(now, keys));
        ArrayNode pods = summary.putArray("pods");
        for (PodLife life : lives) {
            ObjectNode pod = pod(life, now, keys);
            if (pod != null) {
                pods.add(pod);
            }
        }
        forgetOthers(keys);
        return summary;
    }

    private ObjectNode node(Instant now, Set<String> keys) {
        ObjectNode node = Json.object().put("nodeName", settings.name());
        long total = MachineInfo.memory("MemTotal");
        long available = MachineInfo.memory("MemAvailable");
        keys.add("node");
        use(node, "node", new Usage(cpuNanos(), total - available, total - available, total - available, 0), now);
        ((ObjectNode) node.get("memory")).put("availableBytes", available);
        fileSystem(node.putObject("fs"), settings.directory(), now);
        return node;
    }

    /** Processor time the whole machine has used. */
    private static long cpuNanos() {
        String[] words =
                MachineInfo.text(Path.of("/proc/stat")).split("\n", 2)[0].split("\\s+", -1);
        long ticks = 0;
        for (int i = 1; i < words.length && i <= 8; i++) {
            // The fourth and fifth are idle.
            ticks += i == 4 || i == 5 ? 0 : Long.parseLong(words[i]);
        }
        return ticks * (NANOS / 100);
    }

    private void use(ObjectNode object, String key, Usage usage, Instant now) {
        ObjectNode cpu = object.putObject("cpu").put("time", GoTime.seconds(now));
        long rate = rate(key, usage.cpuNanos());
        if (rate != UNKNOWN) {
            cpu.put("usageNanoCores", rate);
        }
        cpu.put("usageCoreNanoSeconds", usage.cpuNanos());
        object.putObject("memory")
                .put("time", GoTime.seconds(now))
                .put("usageBytes", usage.memoryBytes())
                .put("workingSetBytes", usage.workingSetBytes())
                .put("rssBytes", usage.rssBytes());
    }

    private static void fileSystem(ObjectNode object, Path directory, Instant now) {
        object.put("time", GoTime.seconds(now));
        try {
            FileStore store = Files.getFileStore(directory);
            object.put("availableBytes", store.getUsableSpace())
                    .put("capacityBytes", store.getTotalSpace())
                    .put("usedBytes", store.getTotalSpace() - store.getUnallocatedSpace());
            FileSystemRoom room = FileSystemRoom.of(directory);
            object.put("inodesFree", room.freeFiles())
                    .put("inodes", room.files())
                    .put("inodesUsed", room.files() - room.freeFiles());
        } catch (IOException e) {
            object.put("usedBytes", 0);
        }
    }

    /** A part of the node's disk. */
    private ObjectNode disk(ObjectNode object, FileTree.@Nullable Space used, Instant now) {
        fileSystem(object, settings.directory(), now);
        FileTree.Space space = used == null ? FileTree.Space.NONE : used;
        return object.put("usedBytes", space.bytes()).put("inodesUsed", space.files());
    }

    private @Nullable ObjectNode pod(PodLife life, Instant now, Set<String> keys) {
        PodView view = life.pod();
        if (life.isFinished() || !life.facts().sandbox()) {
            return null;
        }
        ObjectNode pod = Json.object();
        pod.putObject("podRef")
                .put("name", view.name())
                .put("namespace", view.namespace())
                .put("uid", view.uid());
        Instant since = life.startTime();
        pod.put("startTime", GoTime.seconds(since == null ? now : since));
        PodDisk.Use disk = life.around().disk().of(life.facts());
        ArrayNode containers = pod.putArray("containers");
        for (PodView.Container container : view.containers()) {
            Attempt last = life.facts().of(container).last();
            Instant startedAt = last == null ? null : last.startedAt();
            if (last != null && last.isRunning() && startedAt != null) {
                ObjectNode each = containers.addObject().put("name", container.name());
                each.put("startTime", GoTime.seconds(startedAt));
                keys.add(last.id());
                use(each, last.id(), life.around().tools().runtime().usage(last.id()), now);
                disk(each.putObject("rootfs"), disk.roots().get(container.name()), now);
                disk(each.putObject("logs"), disk.logs().get(container.name()), now);
            }
        }
        keys.add(view.uid());
        Usage whole = life.around().tools().runtime().sandboxUsage(view.uid());
        use(pod, view.uid(), whole, now);
        pod.putObject("process_stats").put("process_count", whole.pids());
        ArrayNode volumes = pod.putArray("volume");
        disk.volumes()
                .forEach((name, space) -> disk(volumes.addObject(), space, now).put("name", name));
        disk(pod.putObject("ephemeral-storage"), disk.total(), now);
        return pod;
    }

    String metrics(Collection<PodLife> lives) {
        ObjectNode summary = summary(lives);
        long millis = clock.instant().toEpochMilli();
        StringBuilder cpu = new StringBuilder();
        StringBuilder memory = new StringBuilder();
        StringBuilder podCpu = new StringBuilder();
        StringBuilder podMemory = new StringBuilder();
        for (var pod : Json.listAt(summary, "pods")) {
            String names = "namespace=\"" + Json.textAt(pod, "podRef", "namespace") + "\",pod=\""
                    + Json.textAt(pod, "podRef", "name") + "\"";
            for (var container : Json.listAt(pod, "containers")) {
                String labels = "{container=\"" + Json.textAt(container, "name") + "\"," + names + "}";
                line(cpu, "container_cpu_usage_seconds_total", labels, seconds(container), millis);
                line(memory, "container_memory_working_set_bytes", labels, bytes(container), millis);
            }
            line(podCpu, "pod_cpu_usage_seconds_total", "{" + names + "}", seconds(pod), millis);
            line(podMemory, "pod_memory_working_set_bytes", "{" + names + "}", bytes(pod), millis);
        }
        StringBuilder text = new StringBuilder();
        head(
                text,
                "node_cpu_usage_seconds_total",
                "Cumulative cpu time consumed by the node in core-seconds",
                "counter");
        line(text, "node_cpu_usage_seconds_total", "", seconds(summary.get("node")), millis);
        head(text, "node_memory_working_set_bytes", "Current working set of the node in bytes", GAUGE);
        line(text, "node_memory_working_set_bytes", "", bytes(summary.get("node")), millis);
        head(
                text,
                "container_cpu_usage_seconds_total",
                "Cumulative cpu time consumed by the container in core-seconds",
                "counter");
        text.append(cpu);
        head(text, "container_memory_working_set_bytes", "Current working set of the container in bytes", GAUGE);
        text.append(memory);
        head(text, "pod_cpu_usage_seconds_total", "Cumulative cpu time consumed by the pod in core-seconds", "counter");
        text.append(podCpu);
        head(text, "pod_memory_working_set_bytes", "Current working set of the pod in bytes", GAUGE);
        text.append(podMemory);
        head(
                text,
                "resource_scrape_error",
                "1 if there was an error while getting container metrics, 0 otherwise",
                GAUGE);
        return text.append("resource_scrape_error 0\n").toString();
    }

    private static void head(StringBuilder text, String name, String help, String type) {
        text.append("# HELP ").append(name).append(" [STABLE] ").append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static String seconds(com.fasterxml.jackson.databind.JsonNode object) {
        return String.format(
                Locale.ROOT, "%.9f", Json.longAt(object, 0, "cpu", "usageCoreNanoSeconds") / (double) NANOS);
    }

    private static String bytes(com.fasterxml.jackson.databind.JsonNode object) {
        return Long.toString(Json.longAt(object, 0, "memory", "workingSetBytes"));
    }

    private static void line(StringBuilder text, String name, String labels, String value, long millis) {
        text.append(name)
                .append(labels)
                .append(' ')
                .append(value)
                .append(' ')
                .append(millis)
                .append('\n');
    }
}
