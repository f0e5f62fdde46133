package lavaflow.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.gang.Surroundings;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of nodes is really used, averaged over ten minutes, as metrics.k8s.io tells it. Nobody is asked unless a plugin looks at it. Belongs
 * to the scheduler's thread; only asking runs aside.
 */
final class NodeMeasurements {
    private static final Logger LOG = LoggerFactory.getLogger(NodeMeasurements.class);
    private static final String PATH = "/apis/metrics.k8s.io/v1beta1/nodes";
    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(30);
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration SPAN = Duration.ofMinutes(10);
    private static final Set<String> READERS = Set.of("usage", "rescheduling");
    private static final double MOST = 100;

    /**
     * One measurement.
     *
     * @param processors in thousandths
     * @param memory in bytes
     */
    record Sample(String node, Instant time, long processors, long memory) {}

    private final KubeApi api;
    private final Inbox inbox;
    private final Writer.Threads threads;
    private final NodeTable nodes;
    private final Map<String, Deque<Sample>> samples = new TreeMap<>();
    private @Nullable Duration interval;
    private @Nullable Instant due;
    private boolean complained;

    NodeMeasurements(KubeApi api, Inbox inbox, Writer.Threads threads, NodeTable nodes) {
        this.api = api;
        this.inbox = inbox;
        this.threads = threads;
        this.nodes = nodes;
    }

    /** Somebody may look at measurements now, or nobody any more. */
    void configure(Configuration configuration, Instant now) {
        boolean wanted =
                configuration.tiers().stream().flatMap(List::stream).anyMatch(entry -> READERS.contains(entry.name()));
        interval = wanted ? interval(Json.textAt(configuration.metrics(), "interval")) : null;
        // Not at once: nodes that come with the cluster cannot answer yet, and are left alone for a while then.
        due = interval == null ? null : now.plus(interval);
        complained = false;
        String type = Json.textAt(configuration.metrics(), "type");
        if (wanted && !type.isEmpty()) {
            LOG.warn("what nodes use is asked of metrics.k8s.io, not of {}", type);
        }
    }

    private static Duration interval(String text) {
        try {
            Duration given = GoDuration.parse(text);
            return given.compareTo(SHORTEST_INTERVAL) < 0 ? USUAL_INTERVAL : given;
        } catch (MalformedException e) {
            return USUAL_INTERVAL;
        }
    }

    @Nullable
    Instant nextDue() {
        return due;
    }

    /**
     * Asks if it is time to; what is answered comes through the inbox.
     *
     * @param taken hears of what is known then
     */
    void ask(Instant now, Runnable taken) {
        Duration pause = interval;
        if (pause == null || due == null || due.isAfter(now)) {
            return;
        }
        due = now.plus(pause);
        threads.run(() -> {
            try {
                List<Sample> read = read(api.read(PATH));
                inbox.add(_ -> take(read, taken));
            } catch (ApiException e) {
                inbox.add(_ -> complain(String.valueOf(e.getMessage())));
            }
        });
    }

    private void complain(String problem) {
        if (!complained) {
            complained = true;
            LOG.warn("nobody tells what nodes really use: {}", problem);
        }
    }

    private static List<Sample> read(ObjectNode list) {
        List<Sample> found = new ArrayList<>();
        for (JsonNode item : Json.listAt(list, "items")) {
            try {
                JsonNode usage = Json.at(item, "usage");
                found.add(new Sample(
                        Json.textAt(item, "metadata", "name"),
                        Instant.parse(Json.textAt(item, "timestamp")),
                        Quantity.at(usage, "cpu").milliValue(),
                        Quantity.at(usage, "memory").value()));
            } catch (MalformedException | DateTimeParseException e) {
                LOG.debug("a measurement that cannot be read: {}", item);
            }
        }
        return found;
    }

    private void take(List<Sample> read, Runnable taken) {
        complained = false;
        for (Sample sample : read) {
            Deque<Sample> own = samples.computeIfAbsent(sample.node(), _ -> new ArrayDeque<>());
            if (own.isEmpty() || own.getLast().time().isBefore(sample.time())) {
                own.add(sample);
            }
            while (own.getFirst().time().isBefore(sample.time().minus(SPAN))) {
                own.removeFirst();
            }
        }
        taken.run();
    }

    /** Tells the averages of the nodes there are, and forgets those of others. */
    void tell(Surroundings surroundings) {
        samples.entrySet().removeIf(entry -> {
            Integer slot = nodes.find(entry.getKey());
            Surroundings.Usage usage = slot == null ? null : average(slot, entry.getValue());
            surroundings.put(entry.getKey(), usage);
            return slot == null;
        });
    }

    private Surroundings.Usage average(int slot, Deque<Sample> own) {
        double processors = own.stream().mapToLong(Sample::processors).average().orElse(0);
        double memory = own.stream().mapToLong(Sample::memory).average().orElse(0);
        return new Surroundings.Usage(
                own.getLast().time(),
                percent(processors, nodes.allocatable(Columns.CPU, slot)),
                percent(memory, nodes.allocatable(Columns.MEMORY, slot)));
    }

    private static double percent(double used, long all) {
        return all == 0 ? 0 : used * MOST / all;
    }
}
