package lavaflow.plugins;

import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.gang.Arguments;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PodClass;

/** Fills nodes one after the other. */
final class BinpackPlugin implements Plugin, Plugin.NodeScore {
    private static final double MOST = 100;

    private final int weight;
    private final Map<Integer, Integer> weights = new LinkedHashMap<>();
    private final NodeTable nodes;

    BinpackPlugin(Session session, Arguments arguments) {
        this.weight = arguments.integer("binpack.weight", 1);
        this.nodes = session.nodes();
        Columns columns = session.columns();
        weights.put(Columns.CPU, weight(arguments, "binpack.cpu"));
        weights.put(Columns.MEMORY, weight(arguments, "binpack.memory"));
        for (String name : arguments.names("binpack.resources")) {
            weights.put(columns.place(name), weight(arguments, "binpack.resources." + name));
        }
    }

    /** What is negative counts as absent. */
    private static int weight(Arguments arguments, String key) {
        int told = arguments.integer(key, 1);
        return told < 0 ? 1 : told;
    }

    @Override
    public double score(PodClass type, int slot) {
        double sum = 0;
        long all = 0;
        for (Map.Entry<Integer, Integer> each : weights.entrySet()) {
            int column = each.getKey();
            long wanted = column < type.requests.length ? type.requests[column] : 0;
            if (wanted == 0) {
                continue;
            }
            long capacity = nodes.allocatable(column, slot);
            long used = nodes.requested(column, slot) + wanted;
            if (capacity == 0 || used > capacity) {
                return 0;
            }
            sum += each.getValue() * (double) used / capacity;
            all += each.getValue();
        }
        return all == 0 ? 0 : sum / all * MOST * weight;
    }
}
