package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** A node whose containers are directories of this machine: commands are real processes, ports those of loopback, logs real files. */
public final class TestingNode implements NodeView {
    /** A container whose log is a file. */
    private record Logged(Path file, ContainerLogs.Life life) {}

    private final Map<String, ObjectNode> pods = new ConcurrentHashMap<>();
    private final Map<String, Logged> logs = new ConcurrentHashMap<>();
    private final Map<String, Process> programs = new ConcurrentHashMap<>();
    private final List<String> sizes = new CopyOnWriteArrayList<>();

    /** Adds a pod whose containers run. */
    public void run(String namespace, String name, String uid, String... containers) {
        ObjectNode pod = Json.object();
        pod.putObject("metadata").put("namespace", namespace).put("name", name).put("uid", uid);
        pod.putObject("spec");
        pod.putObject("status").put("phase", "Running");
        for (String container : containers) {
            ((ObjectNode) pod.path("spec")).withArray("containers").addObject().put("name", container);
            ObjectNode status = ((ObjectNode) pod.path("status"))
                    .withArray("containerStatuses")
                    .addObject();
            status.put("name", container).put("containerID", "testing://" + name + "-" + container);
            status.putObject("state").putObject("running");
        }
        pods.put(namespace + "/" + name, pod);
    }

    /** The pod itself, to be changed. */
    public ObjectNode pod(String namespace, String name) {
        return findPod(namespace, name).orElseThrow();
    }

    public void log(String container, Path file, ContainerLogs.Life life) {
        logs.put(container, new Logged(file, life));
    }

    /** What attachments to a container find. */
    public void program(String container, Process process) {
        programs.put(container, process);
    }

    /** Sizes terminals were given, as COLUMNSxROWS. */
    public List<String> sizes() {
        return sizes;
    }

    @Override
    public void log(Target target, LogRequest request, OutputStream out) throws IOException {
        String id =
                ContainerLogs.container(pod(target.namespace(), target.pod()), target.container(), request.previous());
        Logged log = logs.get(id);
        if (log == null) {
            throw ApiException.internal("no log of " + id);
        }
        ContainerLogs.write(log.file(), request, log.life(), out);
    }

    @Override
    public Session exec(Target target, List<String> command, StreamRequest wishes) throws IOException {
        List<String> line = new ArrayList<>(command);
        if (wishes.tty()) {
            // A terminal of its own, as a runtime would make it.
            line = List.of("script", "-qefc", String.join(" ", quoted(command)), "/dev/null");
        }
        return new ProcessSession(new ProcessBuilder(line).start(), true);
    }

    private static List<String> quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .toList();
    }

    @Override
    public Session attach(Target target, StreamRequest wishes) {
        Process process = programs.get(target.container());
        if (process == null) {
            throw ApiException.badRequest("container " + target.container() + " does not run");
        }
        return new ProcessSession(process, false);
    }

    @Override
    public ByteChannel dial(Target pod, int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    @Override
    public ObjectNode pods() {
        ObjectNode list = Json.object();
        list.put("kind", "PodList").put("apiVersion", "v1").putObject("metadata");
        var items = list.putArray("items");
        pods.keySet().stream().sorted().forEach(key -> items.add(pods.get(key)));
        return list;
    }

    /** Every pod has used a second of a processor for each second since the beginning of time, and 10 MiB. */
    @Override
    public ObjectNode summary() {
        Instant now = Instant.now();
        ObjectNode summary = Json.object();
        figures(summary.putObject("node").put("nodeName", "testing"), now);
        var list = summary.putArray("pods");
        for (var pod : pods().withArray("items")) {
            ObjectNode entry = list.addObject();
            entry.putObject("podRef")
                    .put("name", Json.textAt(pod, "metadata", "name"))
                    .put("namespace", Json.textAt(pod, "metadata", "namespace"))
                    .put("uid", Json.textAt(pod, "metadata", "uid"));
            figures(entry, now);
            for (var container : Json.listAt(pod, "spec", "containers")) {
                figures(entry.withArray("containers").addObject().put("name", Json.textAt(container, "name")), now);
            }
        }
        return summary;
    }

    private static void figures(ObjectNode of, Instant now) {
        of.putObject("cpu")
                .put("time", now.toString())
                .put("usageCoreNanoSeconds", now.toEpochMilli() % 1_000_000_000L * 1_000_000L);
        of.putObject("memory").put("time", now.toString()).put("workingSetBytes", 10L << 20);
    }

    @Override
    public String resourceMetrics() {
        return "# TYPE node_cpu_usage_seconds_total counter\n";
    }

    private final class ProcessSession implements Session {
        private final Process process;
        private final boolean own;

        ProcessSession(Process process, boolean own) {
            this.process = process;
            this.own = own;
        }

        @Override
        public OutputStream stdin() {
            return process.getOutputStream();
        }

        @Override
        public InputStream stdout() {
            return process.getInputStream();
        }

        @Override
        public InputStream stderr() {
            return process.getErrorStream();
        }

        @Override
        public void resize(int columns, int rows) {
            sizes.add(columns + "x" + rows);
        }

        @Override
        public int await() throws InterruptedException {
            return process.waitFor();
        }

        @Override
        public void close() {
            if (own) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }
}
