package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.kube.Json;
import lavaflow.placement.NodeTable;

import org.jspecify.annotations.Nullable;

/** The network as a tree of its parts, worked out anew when parts or nodes have changed. */
public final class HyperNodes {
    private final Map<String, HyperNodeSpec> specs = new TreeMap<>();
    private final NodeTable nodes;
    private int builtFor = -1;
    private boolean changed = true;
    private int version;

    private Map<String, HyperNode> parts = Map.of();
    private HyperNode top = new HyperNode(HyperNode.TOP, 1);
    private boolean consistent = true;
    /** The closest part each node is in, by slot. */
    private final Map<Integer, HyperNode> closest = new HashMap<>();

    private final Map<String, Integer> tierNames = new TreeMap<>();

    HyperNodes(NodeTable nodes) {
        this.nodes = nodes;
    }

    void put(HyperNodeSpec spec) {
        specs.put(spec.name(), spec);
        changed = true;
    }

    void remove(String name) {
        changed |= specs.remove(name) != null;
    }

    List<HyperNodeSpec> specs() {
        return List.copyOf(specs.values());
    }

    /** Whether there is anything to know about the network. */
    public boolean isEmpty() {
        return specs.isEmpty();
    }

    /** Whether it is a tree; as long as it is not, gangs that care about the network wait. */
    public boolean isConsistent() {
        build();
        return consistent;
    }

    /** All nodes. */
    public HyperNode top() {
        build();
        return top;
    }

    /** Changes whenever the network does. */
    public int version() {
        build();
        return version;
    }

    /** All parts but the top, by name. */
    public Collection<HyperNode> parts() {
        build();
        return Collections.unmodifiableCollection(parts.values());
    }

    /** The tier of a name; -1 if nobody has it. */
    public int tierOf(String tierName) {
        build();
        return tierNames.getOrDefault(tierName, -1);
    }

    public int highestTier() {
        return top().tier();
    }

    public int lowestTier() {
        build();
        return parts.values().stream().mapToInt(HyperNode::tier).min().orElse(top.tier());
    }

    /** The closest part a node is in; the top if it is in none. */
    public HyperNode closest(int slot) {
        build();
        return closest.getOrDefault(slot, top);
    }

    /** The smallest part that both are in. */
    public HyperNode common(HyperNode one, HyperNode other) {
        HyperNode each = one;
        while (!each.includes(other)) {
            HyperNode parent = each.parent;
            if (parent == null) {
                return top;
            }
            each = parent;
        }
        return each;
    }

    private void build() {
        if (!changed && builtFor == nodes.lastVersion()) {
            return;
        }
        changed = false;
        builtFor = nodes.lastVersion();
        version++;
        Map<String, HyperNode> made = new LinkedHashMap<>();
        tierNames.clear();
        int highest = 0;
        for (HyperNodeSpec spec : specs.values()) {
            made.put(spec.name(), new HyperNode(spec.name(), spec.tier()));
            highest = Math.max(highest, spec.tier());
            if (!spec.tierName().isEmpty()) {
                tierNames.putIfAbsent(spec.tierName(), spec.tier());
            }
        }
        parts = made;
        top = new HyperNode(HyperNode.TOP, highest + 1);
        consistent = connect(made);
        for (int slot = 0; slot < nodes.slots(); slot++) {
            if (nodes.isKnown(slot)) {
                top.slots.set(slot);
            }
        }
        closest.clear();
        if (consistent) {
            fill(made);
        }
    }

    /** Links parts with what they are part of; false if something is part of two, or of itself. */
    private boolean connect(Map<String, HyperNode> made) {
        for (HyperNodeSpec spec : specs.values()) {
            HyperNode parent = made.getOrDefault(spec.name(), top);
            for (HyperNode child : made.values()) {
                if (isMember(spec, child)) {
                    if (child == parent || (child.parent != null && child.parent != parent)) {
                        return false;
                    }
                    child.parent = parent;
                }
            }
        }
        for (HyperNode each : made.values()) {
            int steps = 0;
            for (HyperNode above = each; above != null; above = above.parent) {
                if (++steps > made.size()) {
                    return false;
                }
            }
        }
        made.values().forEach(each -> {
            HyperNode parent = each.parent == null ? top : each.parent;
            each.parent = parent;
            parent.children.add(each);
        });
        return true;
    }

    private static boolean isMember(HyperNodeSpec spec, HyperNode child) {
        return spec.members().stream().anyMatch(each -> !each.nodes() && each.matches(child.name(), Json.object()));
    }

    private void fill(Map<String, HyperNode> made) {
        List<HyperNode> fromClose = new ArrayList<>(made.values());
        fromClose.sort(Comparator.comparingInt(HyperNode::tier).thenComparing(HyperNode::name));
        for (HyperNode part : fromClose) {
            HyperNodeSpec spec = specs.get(part.name());
            for (int slot = 0; spec != null && slot < nodes.slots(); slot++) {
                if (nodes.isKnown(slot) && isMember(spec, nodes.node(slot))) {
                    closest.putIfAbsent(slot, part);
                    for (HyperNode each = part; each != null; each = each.parent) {
                        each.slots.set(slot);
                    }
                }
            }
        }
    }

    private static boolean isMember(HyperNodeSpec spec, NodeTable.Node node) {
        return spec.members().stream().anyMatch(each -> each.nodes() && each.matches(node.name(), node.labels()));
    }

    /** A part by name. */
    public @Nullable HyperNode find(String name) {
        build();
        return parts.get(name);
    }
}
