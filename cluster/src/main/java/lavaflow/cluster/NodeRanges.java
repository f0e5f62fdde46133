package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.EventRecorder;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Gives every node a range of addresses for its pods: {@code 10.244.n.0/24}, the next free one in turn. */
final class NodeRanges {
    private static final String PREFIX = "10.244.";
    private static final String SUFFIX = ".0/24";
    private static final int RANGES = 256;

    /** What a mirror keeps of a node. */
    private record Assigned(String name, String range) {}

    private final KubeApi api;
    private final Mirror<Assigned> nodes;
    private final EventRecorder events;
    private final BitSet taken = new BitSet(RANGES);
    private final Map<String, Integer> held = new HashMap<>();
    /** Nodes that got none, in order. */
    private final Set<String> waiting = new LinkedHashSet<>();

    private int next;
    private final ControllerRunner<String> runner;

    NodeRanges(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.events = new EventRecorder(api, "cidrAllocator", clock);
        this.runner = new ControllerRunner<>("node-ipam-controller", followers, 5, this::reconcile, nanoTime);
        this.nodes = new Mirror<>(followers, NodeLifecycle.NODES, NodeRanges::assigned, _ -> List.of())
                .whenDifferent(this::changed);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private static Assigned assigned(ObjectNode node) {
        return new Assigned(Objects.name(node), Json.textAt(node, "spec", "podCIDR"));
    }

    /** What is assigned already is taken before anything new is given away: workers start when all nodes have been seen. */
    private void changed(@Nullable Assigned before, @Nullable Assigned after) {
        if (after != null) {
            occupy(after.name(), number(after.range()));
            runner.queue().add(after.name());
        } else if (before != null) {
            release(before.name());
        }
    }

    /** The number of one of our ranges, -1 for any other. */
    private static int number(String range) {
        if (!range.startsWith(PREFIX) || !range.endsWith(SUFFIX)) {
            return -1;
        }
        try {
            int number = Integer.parseInt(range.substring(PREFIX.length(), range.length() - SUFFIX.length()));
            return number >= 0 && number < RANGES ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private synchronized void occupy(String node, int number) {
        if (number >= 0) {
            taken.set(number);
            held.put(node, number);
        }
    }

    private synchronized void release(String node) {
        waiting.remove(node);
        Integer number = held.remove(node);
        if (number != null && !held.containsValue(number)) {
            taken.clear(number);
            waiting.stream().findFirst().ifPresent(runner.queue()::add);
        }
    }

    /** A range for a node, the one it has or else the next that is free; -1 for none. */
    private synchronized int take(String node) {
        Integer present = held.get(node);
        if (present != null) {
            return present;
        }
        int number = taken.nextClearBit(next);
        if (number >= RANGES) {
            number = taken.nextClearBit(0);
        }
        if (number >= RANGES) {
            waiting.add(node);
            return -1;
        }
        next = (number + 1) % RANGES;
        waiting.remove(node);
        occupy(node, number);
        return number;
    }

    private Optional<Duration> reconcile(String name) {
        Assigned node = nodes.get("", name);
        ObjectNode fresh = node == null || !node.range().isEmpty()
                ? null
                : api.find(NodeLifecycle.NODES, "", name).orElse(null);
        if (fresh == null || !Json.textAt(fresh, "spec", "podCIDR").isEmpty()) {
            return Optional.empty();
        }
        int number = take(name);
        if (number < 0) {
            events.normal(fresh, "CIDRNotAvailable", "Node " + name + " status is now: CIDRNotAvailable");
            return Optional.empty();
        }
        String range = PREFIX + number + SUFFIX;
        ObjectNode spec = Json.ensureObject(fresh, "spec");
        spec.put("podCIDR", range).putArray("podCIDRs").add(range);
        api.update(NodeLifecycle.NODES, "", fresh);
        return Optional.empty();
    }
}
