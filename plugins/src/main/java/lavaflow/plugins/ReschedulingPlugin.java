package lavaflow.plugins;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Surroundings.Usage;
import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Now and then has pods leave nodes that are used too much, if others are used too little. */
final class ReschedulingPlugin implements Plugin, Plugin.Shuffle, Plugin.Timed {
    private static final String LOW_NODE_UTILIZATION = "lowNodeUtilization";
    private static final String USUAL_THRESHOLD = "system-cluster-critical";
    private static final int CRITICAL = 2_000_000_000;
    private static final double MOST = 100;
    /** Processors, memory, and how many of the pods a node may have. */
    private static final List<String> NAMES = List.of("cpu", "memory", "pods");

    private static final int PODS = 2;

    private final Session session;
    private final Duration interval;
    private final List<JsonNode> strategies = new ArrayList<>();
    private @Nullable Instant last;

    ReschedulingPlugin(Session session, Arguments arguments) {
        this.session = session;
        this.interval = interval(arguments.text("interval", "5m"));
        for (JsonNode strategy : arguments.structure("strategies")) {
            if (strategy.path("name").asText().equals(LOW_NODE_UTILIZATION)) {
                strategies.add(strategy.path("params"));
            }
        }
    }

    private static Duration interval(String text) {
        try {
            return GoDuration.parse(text);
        } catch (MalformedException e) {
            return Duration.ofMinutes(5);
        }
    }

    @Override
    public @Nullable Instant nextChange() {
        return strategies.isEmpty() || last == null ? null : last.plus(interval);
    }

    @Override
    public List<Member> toShuffle(List<Member> running) {
        if (strategies.isEmpty() || (last != null && last.plus(interval).isAfter(session.now()))) {
            return List.of();
        }
        last = session.now();
        List<Member> victims = new ArrayList<>();
        strategies.forEach(params -> victims.addAll(new Balance(params).victims(Set.copyOf(running))));
        return victims;
    }

    /** What is used of a node, in percent, and less as pods are chosen to leave. */
    private static final class Load {
        private final int slot;
        private final double[] used;

        private Load(int slot, double... used) {
            this.slot = slot;
            this.used = used;
        }

        private double sum() {
            return used[Columns.CPU] + used[Columns.MEMORY] + used[PODS];
        }
    }

    /** One look at all nodes. */
    private final class Balance {
        private final double[] low = new double[NAMES.size()];
        private final double[] high = new double[NAMES.size()];
        private final int spared;
        private final boolean mustFit;
        /** What nodes that are used too little can still take, in amounts. */
        private final double[] room = new double[NAMES.size()];

        private final List<Load> idle = new ArrayList<>();
        private final List<Load> busy = new ArrayList<>();

        private Balance(JsonNode params) {
            for (int i = 0; i < NAMES.size(); i++) {
                low[i] = params.path("thresholds").path(NAMES.get(i)).asDouble(MOST);
                high[i] = params.path("targetThresholds").path(NAMES.get(i)).asDouble(MOST);
            }
            String priority = params.path("thresholdPriorityClassName").asText(USUAL_THRESHOLD);
            this.spared = session.surroundings().priorities().getOrDefault(priority, CRITICAL);
            this.mustFit = params.path("nodeFit").asBoolean(true);
        }

        private List<Member> victims(Set<Member> running) {
            NodeTable nodes = session.nodes();
            for (int slot = 0; slot < nodes.slots(); slot++) {
                Load load = nodes.isKnown(slot) ? load(slot) : null;
                if (load != null) {
                    sort(load);
                }
            }
            if (idle.isEmpty()) {
                return List.of();
            }
            busy.sort(Comparator.comparingDouble(Load::sum)
                    .reversed()
                    .thenComparing(load -> nodes.node(load.slot).name()));
            List<Member> victims = new ArrayList<>();
            busy.forEach(load -> relieve(load, running, victims));
            return victims;
        }

        private @Nullable Load load(int slot) {
            Usage usage =
                    session.surroundings().usage(session.nodes().node(slot).name());
            double pods = capacity(PODS, slot);
            return usage == null
                    ? null
                    : new Load(
                            slot,
                            usage.processors(),
                            usage.memory(),
                            pods == 0 ? 0 : session.nodes().pods(slot).size() * MOST / pods);
        }

        private double capacity(int which, int slot) {
            return session.nodes().allocatable(which == PODS ? session.podsColumn() : which, slot);
        }

        private void sort(Load load) {
            boolean isIdle = !session.nodes().node(load.slot).unschedulable();
            for (int i = 0; i < NAMES.size(); i++) {
                isIdle &= load.used[i] < low[i];
            }
            if (isIdle) {
                idle.add(load);
                for (int i = 0; i < NAMES.size(); i++) {
                    room[i] += (high[i] - load.used[i]) / MOST * capacity(i, load.slot);
                }
            } else if (isOver(load)) {
                busy.add(load);
            }
        }

        private boolean isOver(Load load) {
            for (int i = 0; i < NAMES.size(); i++) {
                if (load.used[i] > high[i]) {
                    return true;
                }
            }
            return false;
        }

        private void relieve(Load load, Set<Member> running, List<Member> victims) {
            List<Member> members = new ArrayList<>(session.members(load.slot));
            members.removeIf(each -> !running.contains(each)
                    || !each.spec().preemptable()
                    || each.spec().pod().priority() >= spared);
            members.sort(
                    Comparator.<Member>comparingInt(each -> each.spec().pod().priority())
                            .thenComparing(each -> each.spec().pod().place()));
            for (Member each : members) {
                if (!isOver(load)) {
                    return;
                }
                if (hasRoom(each)) {
                    for (int i = 0; i < NAMES.size(); i++) {
                        double amount = amount(each, i);
                        room[i] -= amount;
                        load.used[i] -= capacity(i, load.slot) == 0 ? 0 : amount * MOST / capacity(i, load.slot);
                    }
                    victims.add(each);
                }
            }
        }

        private double amount(Member member, int which) {
            return which == PODS ? 1 : member.request().get(which);
        }

        private boolean hasRoom(Member member) {
            for (int i = 0; i < NAMES.size(); i++) {
                if (amount(member, i) > room[i]) {
                    return false;
                }
            }
            return !mustFit || idle.stream().anyMatch(load -> session.nodes().hasRoom(member.type(), load.slot));
        }
    }
}
