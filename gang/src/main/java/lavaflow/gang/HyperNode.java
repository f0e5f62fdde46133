package lavaflow.gang;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** A part of the network with all nodes in it, also those of its parts. */
public final class HyperNode {
    /** What contains all that nothing else does. */
    static final String TOP = "<cluster-top-hypernode>";

    private final String name;
    private final int tier;
    final BitSet slots = new BitSet();
    final List<HyperNode> children = new ArrayList<>();

    @Nullable
    HyperNode parent;

    HyperNode(String name, int tier) {
        this.name = name;
        this.tier = tier;
    }

    public String name() {
        return name;
    }

    /** The smaller, the closer its nodes are to each other. */
    public int tier() {
        return tier;
    }

    public @Nullable HyperNode parent() {
        return parent;
    }

    public List<HyperNode> children() {
        return Collections.unmodifiableList(children);
    }

    public boolean contains(int slot) {
        return slots.get(slot);
    }

    /** Its nodes by slot; not to be changed. */
    public BitSet slots() {
        return slots;
    }

    /** Whether another one is this or a part of it. */
    public boolean includes(HyperNode other) {
        for (HyperNode each = other; each != null; each = each.parent) {
            if (each == this) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return name + " (tier " + tier + ")";
    }
}
