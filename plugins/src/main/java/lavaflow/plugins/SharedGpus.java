package lavaflow.plugins;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;

import org.jspecify.annotations.Nullable;

/** Cards by their number on a node: a part of the memory of one, or whole ones. */
final class SharedGpus {
    static final String INDEX = "volcano.sh/gpu-index";
    private static final String UNHEALTHY = "volcano.sh/gpu-unhealthy-ids";

    private final NodeTable nodes;
    private final int memoryColumn;
    private final int numberColumn;
    /** Whether pods ask for whole cards. */
    private final boolean whole;

    SharedGpus(Session session, boolean whole) {
        this.nodes = session.nodes();
        this.memoryColumn = session.columns().place("volcano.sh/gpu-memory");
        this.numberColumn = session.columns().place("volcano.sh/gpu-number");
        this.whole = whole;
    }

    private static long wanted(PodClass type, int column) {
        return column < type.requests.length ? type.requests[column] : 0;
    }

    boolean concerns(Member member) {
        return wanted(member.type(), whole ? numberColumn : memoryColumn) > 0;
    }

    Plugin.@Nullable Refusal refusal(Member member, int slot, Map<String, Map<String, String>> chosen) {
        if (!choose(member, slot, chosen).isEmpty()) {
            return null;
        }
        String what = whole ? "no enough gpu number on node " : "no enough gpu memory on node ";
        return new Plugin.Refusal(what + nodes.node(slot).name(), true);
    }

    /** The numbers of cards for a pod, with commas between them; empty if there are not enough. */
    String choose(Member member, int slot, Map<String, Map<String, String>> chosen) {
        long[] free = free(slot, chosen);
        long each = perCard(slot);
        List<String> found = new ArrayList<>();
        long memory = wanted(member.type(), memoryColumn);
        long cards = whole ? wanted(member.type(), numberColumn) : 1;
        for (int card = 0; card < free.length && found.size() < cards; card++) {
            if (whole ? free[card] == each : free[card] >= memory) {
                found.add(String.valueOf(card));
            }
        }
        return found.size() < cards ? "" : String.join(",", found);
    }

    private long perCard(int slot) {
        long cards = nodes.allocatable(numberColumn, slot);
        return cards == 0 ? 0 : nodes.allocatable(memoryColumn, slot) / cards;
    }

    /** What each card has left; less than nothing where it does not work. */
    private long[] free(int slot, Map<String, Map<String, String>> chosen) {
        long[] free = new long[(int) nodes.allocatable(numberColumn, slot)];
        Arrays.fill(free, perCard(slot));
        for (int card : numbers(nodes.node(slot).annotations().getOrDefault(UNHEALTHY, ""))) {
            if (card < free.length) {
                free[card] = -1;
            }
        }
        for (PlacedPod placed : nodes.pods(slot)) {
            String index = chosen.getOrDefault(placed.pod().uid(), placed.pod().devices())
                    .getOrDefault(INDEX, "");
            long memory = wanted(placed.type(), memoryColumn);
            for (int card : numbers(index)) {
                if (card < free.length) {
                    free[card] -= memory == 0 ? Math.max(1, perCard(slot)) : memory;
                }
            }
        }
        return free;
    }

    private static Set<Integer> numbers(String text) {
        Set<Integer> numbers = new HashSet<>();
        for (String each : text.split(",", -1)) {
            if (!each.isBlank()) {
                numbers.add(VirtualGpu.number(each));
            }
        }
        return numbers;
    }
}
