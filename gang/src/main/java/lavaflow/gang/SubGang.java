package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Pods of a gang that belong together in the network; a gang without policies about that is one as a whole. */
public final class SubGang {
    private final Gang gang;
    private final String id;
    private final String policy;
    private final int minAvailable;
    private final @Nullable JsonNode topology;
    private final @Nullable JsonNode outer;
    private final int index;
    final List<Member> members = new ArrayList<>();

    /**
     * One without pods.
     *
     * @param policy the name of what made it a part; empty for pods no policy is about
     * @param topology where it may be in the network; null if anywhere
     * @param outer where all of the gang may be
     * @param index the number it is known by, -1 if none
     */
    SubGang(
            Gang gang,
            String id,
            String policy,
            int minAvailable,
            @Nullable JsonNode topology,
            @Nullable JsonNode outer,
            int index) {
        this.gang = gang;
        this.id = id;
        this.policy = policy;
        this.minAvailable = minAvailable;
        this.topology = topology;
        this.outer = outer;
        this.index = index;
    }

    public Gang gang() {
        return gang;
    }

    public String id() {
        return id;
    }

    String policy() {
        return policy;
    }

    int index() {
        return index;
    }

    public int minAvailable() {
        return minAvailable;
    }

    /**
     * The highest tier of a part of the network that may hold all of it; -1 if it may be anywhere. Who would only like to be close is tried
     * from close to far, up to everywhere.
     */
    public int highestTier(HyperNodes network) {
        return tier(topology, network, tier(outer, network, -1));
    }

    private static int tier(@Nullable JsonNode topology, HyperNodes network, int outer) {
        if (topology == null) {
            return -1;
        }
        if (Json.textAt(topology, "mode").equals("soft")) {
            return outer >= 0 ? outer : network.highestTier();
        }
        String name = Json.textAt(topology, "highestTierName");
        return name.isEmpty() ? (int) Json.longAt(topology, -1, "highestTierAllowed") : network.tierOf(name);
    }

    public List<Member> members() {
        return Collections.unmodifiableList(members);
    }

    Gang.Tally tally() {
        Gang.Tally tally = new Gang.Tally();
        members.forEach(member -> tally.count(member.stage, member, 1));
        return tally;
    }

    int count(boolean pipelined) {
        int count = 0;
        Losses lost = gang.writtenOff();
        for (Member member : members) {
            boolean placed = (member.stage.holdsRoom() && member.stage != Stage.DELAYED)
                    || member.stage == Stage.SUCCEEDED
                    || lost.members().contains(member);
            boolean counts = placed
                    || (member.stage == Stage.PENDING && member.spec.bestEffort())
                    || (pipelined && (member.stage == Stage.PIPELINED || member.stage == Stage.DELAYED));
            count += counts ? 1 : 0;
        }
        return count;
    }

    boolean isReady() {
        return count(false) >= minAvailable;
    }

    boolean isPipelined() {
        return count(true) >= minAvailable;
    }

    /** The smallest part of the network that holds all of its pods that have a node; null if none has. */
    public @Nullable HyperNode allocated(HyperNodes network) {
        HyperNode all = null;
        for (Member member : members) {
            boolean placed = member.stage.holdsRoom() || member.stage == Stage.PIPELINED;
            if (placed && member.slot >= 0) {
                HyperNode its = network.closest(member.slot);
                all = all == null ? its : network.common(all, its);
            }
        }
        return all;
    }

    /** What it takes at least to have enough of it: as many of the smallest amounts as it must have. */
    public Amounts least() {
        Amounts smallest = null;
        for (Member member : members) {
            if (member.waits()) {
                smallest = smallest == null ? member.request.copy() : smallest.cap(member.request);
            }
        }
        int missing = Math.max(0, minAvailable - count(true));
        return smallest == null ? Amounts.none() : Amounts.none().add(smallest, missing);
    }

    @Override
    public String toString() {
        return id;
    }
}
