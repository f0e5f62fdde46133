package lavaflow.plugins;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

import lavaflow.gang.Amounts;
import lavaflow.gang.Arguments;
import lavaflow.gang.HyperNode;
import lavaflow.gang.HyperNodes;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.gang.SubGang;
import lavaflow.gang.SubGangs;
import lavaflow.placement.Columns;
import lavaflow.placement.NodeTable;

import org.jspecify.annotations.Nullable;

/** Keeps the pods of a gang close to each other in the network, and fills its parts one after the other. */
final class NetworkTopologyPlugin implements Plugin, Plugin.Domains, Plugin.DomainScore, Plugin.BatchScore {
    private static final double MOST = 100;

    private final int weight;
    private final Map<Integer, Integer> weights = new LinkedHashMap<>();
    private final boolean ordinaryPods;
    private final double fading;
    private final int mostForEviction;
    private final Session session;
    private final NodeTable nodes;

    NetworkTopologyPlugin(Session session, Arguments arguments) {
        this.session = session;
        this.nodes = session.nodes();
        this.weight = arguments.integer("weight", 1);
        weights.put(Columns.CPU, weight(arguments, "hypernode.binpack.cpu"));
        weights.put(Columns.MEMORY, weight(arguments, "hypernode.binpack.memory"));
        for (String name : arguments.names("hypernode.binpack.resources")) {
            weights.put(session.columns().place(name), weight(arguments, "hypernode.binpack.resources." + name));
        }
        this.ordinaryPods = arguments.flag("hypernode.binpack.normal-pod.enable", true);
        this.fading = arguments.number("hypernode.binpack.normal-pod.fading", 0.8);
        this.mostForEviction = arguments.integer("hypernode.gradient.evict.max-hypernodes", 8);
    }

    private static int weight(Arguments arguments, String key) {
        int told = arguments.integer(key, 1);
        return told < 0 ? 1 : told;
    }

    // ---- which parts ----

    @Override
    public List<List<HyperNode>> rows(SubGang part, HyperNode within, Purpose purpose) {
        HyperNodes network = session.network();
        int highest = part.highestTier(network);
        if (highest < 0) {
            return List.of(List.of(within));
        }
        HyperNode allocated = part.allocated(network);
        HyperNode start = start(allocated, within, highest);
        Map<Integer, List<HyperNode>> byTier = new TreeMap<>();
        Deque<HyperNode> open = new ArrayDeque<>();
        if (start != null) {
            open.add(start);
        }
        Amounts least = withoutDevices(part.least());
        while (!open.isEmpty()) {
            HyperNode each = open.remove();
            open.addAll(each.children());
            boolean placed = allocated != null && allocated != network.top();
            if (each.tier() <= highest && (placed || hasRoom(each, least, purpose))) {
                byTier.computeIfAbsent(each.tier(), _ -> new ArrayList<>()).add(each);
            }
        }
        List<List<HyperNode>> rows = new ArrayList<>();
        byTier.values().forEach(row -> {
            row.sort(Comparator.comparing(HyperNode::name));
            rows.add(row);
        });
        return purpose == Purpose.EVICT ? widestFirst(rows) : rows;
    }

    private List<List<HyperNode>> widestFirst(List<List<HyperNode>> rows) {
        Collections.reverse(rows);
        List<List<HyperNode>> kept = new ArrayList<>();
        int left = mostForEviction;
        for (List<HyperNode> row : rows) {
            int count = Math.min(left, row.size());
            if (count > 0) {
                kept.add(row.subList(0, count));
            }
            left -= count;
        }
        return kept;
    }

    /** Where pods may still go once some have their place: the widest part around them that is close enough. Null if there is none. */
    private static @Nullable HyperNode start(@Nullable HyperNode allocated, HyperNode within, int highest) {
        if (allocated == null) {
            return within;
        }
        HyperNode widest = allocated;
        for (HyperNode above = allocated.parent(); above != null && above.tier() <= highest; above = above.parent()) {
            widest = above;
        }
        if (widest.tier() > highest) {
            return null;
        }
        return within.includes(widest) ? widest : widest.includes(within) ? within : null;
    }

    /** Without what nodes have as devices: which of them can be had is seen when pods are placed. */
    private Amounts withoutDevices(Amounts least) {
        Amounts rest = least.copy();
        for (int column = 0; column < session.columns().size(); column++) {
            if (rest.get(column) > 0 && session.columns().isBacked(column)) {
                rest.set(column, 0);
            }
        }
        return rest;
    }

    private boolean hasRoom(HyperNode domain, Amounts least, Purpose purpose) {
        if (purpose == Purpose.EVICT) {
            return least.within(sum(domain, this::allocatable), least);
        }
        return least.within(sum(domain, slot -> session.room(slot, false)), least)
                || least.within(sum(domain, slot -> session.room(slot, true)), least);
    }

    private Amounts allocatable(int slot) {
        Amounts all = Amounts.none();
        for (int column = 0; column < session.columns().size(); column++) {
            all.set(column, (double) nodes.allocatable(column, slot));
        }
        return all;
    }

    private static Amounts sum(HyperNode domain, IntFunction<Amounts> of) {
        Amounts sum = Amounts.none();
        domain.slots().stream().forEach(slot -> sum.add(of.apply(slot)));
        return sum;
    }

    // ---- how good parts are ----

    @Override
    public double[] score(SubGang part, List<HyperNode> domains) {
        Amounts wanted = Amounts.none();
        part.members().stream()
                .filter(member -> member.stage() == Stage.PENDING)
                .forEach(member -> wanted.add(member.request()));
        double[] scores = new double[domains.size()];
        double[] fractions = new double[domains.size()];
        for (int i = 0; i < scores.length; i++) {
            HyperNode domain = domains.get(i);
            scores[i] = fullness(domain, wanted);
            fractions[i] = fraction(part, domain);
        }
        return weighed(scores, fractions);
    }

    /** Of those that are equally good and better than all others, the one where more of it is comes first. */
    private double[] weighed(double[] scores, double[] fractions) {
        double most = Arrays.stream(scores).max().orElse(0);
        boolean tied = Arrays.stream(scores).filter(each -> each == most).count() > 1;
        for (int i = 0; i < scores.length; i++) {
            double own = scores[i] == most && tied ? scores[i] + fractions[i] : scores[i];
            scores[i] = own * MOST * weight;
        }
        return scores;
    }

    /** How much of a part would be in use, from 0 to 1; 0 if that is more than there is. */
    private double fullness(HyperNode domain, Amounts wanted) {
        double sum = 0;
        double all = 0;
        for (Map.Entry<Integer, Integer> each : weights.entrySet()) {
            int column = each.getKey();
            if (wanted.get(column) <= 0) {
                continue;
            }
            double capacity = domain.slots().stream()
                    .mapToDouble(slot -> (double) nodes.allocatable(column, slot))
                    .sum();
            double used = wanted.get(column)
                    + domain.slots().stream()
                            .mapToDouble(slot -> (double) nodes.requested(column, slot))
                            .sum();
            if (capacity == 0 || used > capacity) {
                return 0;
            }
            sum += each.getValue() * used / capacity;
            all += each.getValue();
        }
        return all == 0 ? 0 : sum / all;
    }

    /** How many of its pods are there already, of all it has. */
    private static double fraction(SubGang part, HyperNode domain) {
        long there = part.members().stream()
                .filter(member -> isPlaced(member) && domain.contains(member.slot()))
                .count();
        return part.members().isEmpty() ? 0 : (double) there / part.members().size();
    }

    private static boolean isPlaced(Member member) {
        return member.slot() >= 0 && (member.stage().holdsRoom() || member.stage() == Stage.PIPELINED);
    }

    // ---- how good nodes are ----

    @Override
    public boolean concerns(Member member) {
        return weight != 0 && !session.network().isEmpty() && (caresFor(member) != null || ordinaryPods);
    }

    private @Nullable SubGang caresFor(Member member) {
        SubGang part = SubGangs.matterTo(member.gang()) ? member.gang().parts().of(member) : null;
        return part != null && part.highestTier(session.network()) >= 0 ? part : null;
    }

    @Override
    public void score(Member member, int[] slots, double[] scores) {
        SubGang part = caresFor(member);
        double[] own = part != null ? nearness(part, slots) : ordinaryPods ? fullness(member, slots) : new double[0];
        for (int i = 0; i < own.length; i++) {
            scores[i] += own[i];
        }
    }

    /** The closer to those that have their place, the better. */
    private double[] nearness(SubGang part, int[] slots) {
        HyperNodes network = session.network();
        HyperNode allocated = part.allocated(network);
        double[] scores = new double[slots.length];
        if (allocated == null) {
            return scores;
        }
        double range = network.highestTier() - network.lowestTier();
        Map<HyperNode, Double> fractionOf = new HashMap<>();
        double[] fractions = new double[slots.length];
        for (int i = 0; i < slots.length; i++) {
            HyperNode its = network.closest(slots[i]);
            double distance =
                    network.highestTier() - network.common(its, allocated).tier();
            scores[i] = its == allocated ? 1 : range == 0 ? 0 : distance / range;
            fractions[i] = fractionOf.computeIfAbsent(its, domain -> fraction(part, domain));
        }
        return weighed(scores, fractions);
    }

    /** Ordinary pods fill what is in use already, close parts more than wide ones, so that whole parts stay free for gangs. */
    private double[] fullness(Member member, int[] slots) {
        HyperNodes network = session.network();
        Map<HyperNode, Double> known = new HashMap<>();
        double[] scores = new double[slots.length];
        for (int i = 0; i < slots.length; i++) {
            double sum = 0;
            double all = 0;
            HyperNode its = network.closest(slots[i]);
            for (int tier = network.lowestTier(); tier < network.highestTier(); tier++) {
                double counts = Math.pow(fading, tier - 1.0);
                HyperNode domain = atTier(its, tier);
                sum += counts
                        * (domain == null
                                ? 1
                                : known.computeIfAbsent(domain, each -> fullness(each, member.request())));
                all += counts;
            }
            scores[i] = all == 0 ? 0 : sum / all * MOST * weight;
        }
        return scores;
    }

    private static @Nullable HyperNode atTier(HyperNode closest, int tier) {
        for (HyperNode each = closest; each != null && each.parent() != null; each = each.parent()) {
            if (each.tier() == tier) {
                return each;
            }
        }
        return null;
    }
}
