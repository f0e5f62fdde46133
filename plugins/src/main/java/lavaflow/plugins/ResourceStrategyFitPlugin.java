package lavaflow.plugins;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Arguments;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.kube.Json;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Fills nodes or spreads pods by resource, keeps pods off nodes with what is scarce, and keeps processors free for devices. */
final class ResourceStrategyFitPlugin implements Plugin, Plugin.Filter, Plugin.MemberScore {
    static final String TYPE = "volcano.sh/resource-strategy-scoring-type";
    static final String WEIGHT = "volcano.sh/resource-strategy-weight";
    private static final String MOST_ALLOCATED = "MostAllocated";
    private static final String LEAST_ALLOCATED = "LeastAllocated";
    private static final double MOST = 100;
    private static final double GIGABYTE = 1e9;

    /** How a resource counts. */
    private record Strategy(boolean fill, double weight) {}

    /**
     * What has to stay free for each unit of a resource that is free.
     *
     * @param processors in thousandths
     * @param memory in bytes
     */
    private record Proportion(String resource, double processors, double memory) {}

    private final int weight;
    private final Map<String, Strategy> strategies = new LinkedHashMap<>();
    private final Map<String, Double> scarce = new LinkedHashMap<>();
    private final double scarceWeight;
    private final List<Proportion> proportions = new ArrayList<>();
    private final Columns columns;
    private final NodeTable nodes;

    ResourceStrategyFitPlugin(Session session, Arguments arguments) {
        this.columns = session.columns();
        this.nodes = session.nodes();
        this.weight = arguments.integer("resourceStrategyFitWeight", 10);
        ObjectNode resources = object(arguments.structure("resources"));
        resources.properties().forEach(each -> strategies.put(each.getKey(), strategy(each.getValue())));
        if (strategies.isEmpty()) {
            strategies.put("cpu", new Strategy(false, 1));
            strategies.put("memory", new Strategy(false, 1));
        }
        ObjectNode sra = object(arguments.structure("sra"));
        this.scarceWeight = sra.path("weight").asDouble(1);
        if (Json.flagAt(sra, "enable")) {
            for (String name : names(sra)) {
                scarce.put(name, sra.path("resourceWeight").path(name).asDouble(1));
            }
        }
        ObjectNode proportional = object(arguments.structure("proportional"));
        if (Json.flagAt(proportional, "enable")) {
            JsonNode ratios = proportional.path("resourceProportion");
            for (String name : names(proportional)) {
                proportions.add(new Proportion(
                        name,
                        ratios.path(name + ".cpu").asDouble(0) * 1000,
                        ratios.path(name + ".memory").asDouble(0) * GIGABYTE));
            }
        }
    }

    private static ObjectNode object(JsonNode node) {
        return node instanceof ObjectNode object ? object : Json.object();
    }

    private static Strategy strategy(JsonNode node) {
        return new Strategy(
                Json.textAt(node, "type").equals(MOST_ALLOCATED),
                node.path("weight").asDouble(1));
    }

    private static List<String> names(JsonNode owner) {
        List<String> names = new ArrayList<>();
        for (String name : Json.textAt(owner, "resources").split(",", -1)) {
            if (!name.isBlank()) {
                names.add(name.strip());
            }
        }
        return names;
    }

    @Override
    public Scope scope(Member member) {
        return Scope.alike(List.of(note(member, TYPE), note(member, WEIGHT)));
    }

    private static String note(Member member, String key) {
        return Json.textAt(member.spec().annotations(), key);
    }

    // ---- scores ----

    @Override
    public double score(Member member, int slot) {
        return fit(member, slot) * MOST * weight + scarcity(member, slot) * MOST * scarceWeight;
    }

    private double fit(Member member, int slot) {
        ObjectNode weights = JsonNote.read(note(member, WEIGHT));
        String type = note(member, TYPE);
        long[] requests = member.type().requests;
        double sum = 0;
        double all = 0;
        for (int column = 0; column < requests.length; column++) {
            Strategy strategy = requests[column] == 0 ? null : strategy(columns.name(column));
            if (strategy == null) {
                continue;
            }
            double counts = weights.path(columns.name(column)).asDouble(strategy.weight);
            boolean fill = type.equals(MOST_ALLOCATED) || (!type.equals(LEAST_ALLOCATED) && strategy.fill);
            double capacity = nodes.allocatable(column, slot);
            double used = (double) nodes.requested(column, slot) + requests[column];
            double part = capacity == 0 || used > capacity ? 0 : (fill ? used : capacity - used) / capacity;
            sum += counts * part;
            all += counts;
        }
        return all == 0 ? 0 : sum / all;
    }

    /** Names come before patterns, which end in an asterisk. */
    private @Nullable Strategy strategy(String resource) {
        Strategy exact = strategies.get(resource);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, Strategy> each : strategies.entrySet()) {
            String key = each.getKey();
            if (key.endsWith("*") && resource.startsWith(key.substring(0, key.length() - 1))) {
                return each.getValue();
            }
        }
        return null;
    }

    /** The less of what is scarce a node has, the better, as long as it has what the pod asks for. */
    private double scarcity(Member member, int slot) {
        if (scarce.isEmpty()) {
            return 0;
        }
        long[] requests = member.type().requests;
        for (int column = 0; column < requests.length; column++) {
            if (requests[column] > 0 && nodes.allocatable(column, slot) == 0) {
                return 0;
            }
        }
        double all = 0;
        double present = 0;
        for (Map.Entry<String, Double> each : scarce.entrySet()) {
            all += each.getValue();
            present += nodes.allocatable(columns.place(each.getKey()), slot) > 0 ? each.getValue() : 0;
        }
        return all == 0 ? 0 : 1 - present / all;
    }

    // ---- what has to stay free ----

    @Override
    public @Nullable Refusal refusal(Member member, int slot) {
        for (Proportion each : proportions) {
            int column = columns.place(each.resource);
            if (wanted(member, column) > 0) {
                continue;
            }
            double idle = idle(column, slot);
            if (idle(Columns.CPU, slot) - wanted(member, Columns.CPU) < idle * each.processors
                    || idle(Columns.MEMORY, slot) - wanted(member, Columns.MEMORY) < idle * each.memory) {
                return new Refusal("proportional of resource " + each.resource + " check failed", false);
            }
        }
        return null;
    }

    private static double wanted(Member member, int column) {
        long[] requests = member.type().requests;
        return column < requests.length ? requests[column] : 0;
    }

    private double idle(int column, int slot) {
        return (double) nodes.allocatable(column, slot) - nodes.requested(column, slot);
    }
}
