package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What nodes use, asked of their kubelets when somebody wants to know, and not otherwise. How much of a processor that is shows only between
 * two answers: the last ones are kept for a while. Safe for all threads.
 */
final class NodeUsages {
    private static final Logger LOG = LoggerFactory.getLogger(NodeUsages.class);
    /** Newer answers are not asked for. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Older answers say nothing about now. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(60);
    static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Duration BETWEEN = Duration.ofSeconds(1);
    private static final int MOST_BYTES = 32 << 20;
    private static final int MOST_NODES = 5_000;

    /** The last two answers of a node; what it did not answer is null. */
    record Told(@Nullable NodeUsage before, @Nullable NodeUsage now, long atNanos) {
        boolean isFresh(long nanos) {
            return nanos - atNanos < (now == null ? SILENT_NANOS : FRESH_NANOS);
        }
    }

    private final Nodes nodes;
    private final RemoteConnections connections;
    private final Duration patience;
    private final LongSupplier nanos;
    private final Map<String, Told> told = new ConcurrentHashMap<>();

    /**
     * @param patience how long a node may take to answer
     * @param nanos the time by which answers grow old
     */
    NodeUsages(Nodes nodes, RemoteConnections connections, Duration patience, LongSupplier nanos) {
        this.nodes = nodes;
        this.connections = connections;
        this.patience = patience;
        this.nanos = nanos;
    }

    /** What the named nodes say; those that do not answer in time are left out. */
    Map<String, Told> of(Collection<String> names) {
        Map<String, Told> answers = new LinkedHashMap<>();
        Map<String, Future<Told>> asked = new LinkedHashMap<>();
        long end = System.nanoTime() + patience.toNanos();
        // Not closed, which would wait for nodes that do not answer; its threads end by themselves.
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        for (String name : names) {
            Told known = told.get(name);
            if (known != null && known.isFresh(nanos.getAsLong())) {
                add(answers, name, known);
            } else {
                asked.put(name, threads.submit(() -> ask(name)));
            }
        }
        threads.shutdown();
        asked.forEach((name, answer) -> {
            try {
                add(answers, name, answer.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("node {} does not tell what it uses: {}", name, e.toString());
                keep(name, new Told(null, null, nanos.getAsLong()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return answers;
    }

    private static void add(Map<String, Told> answers, String name, Told known) {
        if (known.now() != null) {
            answers.put(name, known);
        }
    }

    private void keep(String name, Told answer) {
        if (told.size() >= MOST_NODES) {
            told.keySet().removeIf(known -> nodes.find(known) == null);
        }
        if (told.size() < MOST_NODES) {
            told.put(name, answer);
        }
    }

    private Told ask(String name) throws IOException, InterruptedException {
        Told last = told.get(name);
        boolean recent = last != null && nanos.getAsLong() - last.atNanos() < STALE_NANOS;
        NodeUsage before = recent && last != null ? last.now() : null;
        NodeUsage now = read(name);
        if (!now.isTold(before)) {
            // The first answer for long, or something new since then: only a second one tells how fast it goes.
            Thread.sleep(BETWEEN);
            before = now;
            now = read(name);
        }
        Told answer = new Told(before, now, nanos.getAsLong());
        keep(name, answer);
        return answer;
    }

    private NodeUsage read(String name) throws IOException {
        try {
            Nodes.Kubelet kubelet = nodes.kubelet("nodes", name);
            RemoteConnections.Lease lease = connections.take(nodes.place(kubelet, false));
            try {
                return read(lease, kubelet);
            } catch (IOException e) {
                lease.connection().close();
                if (!lease.used()) {
                    throw e;
                }
            }
            return read(RemoteConnections.fresh(lease.place()), kubelet);
        } catch (ApiException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private NodeUsage read(RemoteConnections.Lease lease, Nodes.Kubelet kubelet) throws IOException {
        RemoteConnection connection = lease.connection();
        long begin = System.nanoTime();
        connection.await(1_000, () -> Relay.expire(begin, patience));
        connection.write("GET /stats/summary HTTP/1.1\r\nHost: " + kubelet.authority() + "\r\n\r\n");
        connection.flush();
        RemoteConnection.Head head = connection.head();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        connection.copyBody(head, bounded(body));
        connections.giveBack(lease);
        if (head.code() != 200) {
            throw new IOException("status code " + head.code());
        }
        try {
            return NodeUsage.of(Json.parseUntrusted(body.toByteArray()));
        } catch (JsonProcessingException e) {
            throw new IOException("not a summary", e);
        }
    }

    private static OutputStream bounded(ByteArrayOutputStream body) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (body.size() + length > MOST_BYTES) {
                    throw new IOException("the summary is too long");
                }
                body.write(bytes, offset, length);
            }
        };
    }

    /** The names of all nodes there are. */
    List<ObjectNode> nodes() {
        return new ArrayList<>(nodes.all());
    }
}
