package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;

import org.jspecify.annotations.Nullable;

/**
 * Room that pods of running gangs had when they died, kept for their replacements for a while: on a full cluster somebody else would take
 * it otherwise, and the rest of the gang would wait for ever with all that it has. Nobody but the gang is given it meanwhile.
 */
final class KeptPlaces {
    /** The room of one pod. */
    private static final class Place {
        private final PlacedPod was;
        private final int slot;
        /** Null until time is told. */
        private @Nullable Instant until;

        Place(PlacedPod was, int slot) {
            this.was = was;
            this.slot = slot;
        }
    }

    private final NodeTable nodes;
    private final Outlook outlook;
    private final Map<Gang, List<Place>> places = new LinkedHashMap<>();
    private final List<PlacedPod> ended = new ArrayList<>();

    KeptPlaces(NodeTable nodes, Outlook outlook) {
        this.nodes = nodes;
        this.outlook = outlook;
    }

    boolean has(Gang gang) {
        return !places.isEmpty() && places.containsKey(gang);
    }

    /** A pod of a gang is gone from a node; its room is kept if the gang lacks more pods than it has room for. */
    void keep(Gang gang, PlacedPod was, int slot) {
        int known = has(gang) ? places.getOrDefault(gang, List.of()).size() : 0;
        boolean fits = nodes.isKnown(slot)
                && was.type().choice.refusal(nodes, slot) == null
                && nodes.hasRoom(was.type(), slot);
        if (fits && gang.missing() > known) {
            places.computeIfAbsent(gang, _ -> new ArrayList<>()).add(new Place(was, slot));
            nodes.reserve(was.type(), slot);
        }
    }

    /** All that is kept. */
    List<Snapshot.Kept> all() {
        List<Snapshot.Kept> all = new ArrayList<>();
        places.forEach((gang, its) ->
                its.forEach(place -> all.add(new Snapshot.Kept(gang.spec.key(), place.was.pod(), place.until))));
        return all;
    }

    /** Keeps what somebody else kept, also where the node has become too small for it meanwhile. */
    void restore(Gang gang, PlacedPod was, int slot, @Nullable Instant until) {
        if (nodes.isKnown(slot)) {
            Place place = new Place(was, slot);
            place.until = until;
            places.computeIfAbsent(gang, _ -> new ArrayList<>()).add(place);
            nodes.reserve(was.type(), slot);
        }
    }

    // ---- time ----

    /**
     * Time goes by; whether something is not kept any longer.
     *
     * @param most how long something is kept
     */
    boolean pass(Instant now, Duration most) {
        int before = ended.size();
        for (Gang gang : List.copyOf(places.keySet())) {
            end(gang, place -> {
                if (place.until == null) {
                    place.until = now.plus(most);
                }
                return !place.until.isAfter(now);
            });
        }
        return ended.size() > before;
    }

    /** When something is not kept any longer; null if nothing is kept. */
    @Nullable
    Instant next() {
        Instant next = null;
        for (List<Place> each : places.values()) {
            for (Place place : each) {
                next = Plugin.Timed.first(next, place.until);
            }
        }
        return next;
    }

    // ---- who has it ----

    /** Lets a gang itself have what is kept for it. */
    void lend(Gang gang) {
        if (has(gang)) {
            places.getOrDefault(gang, List.of()).forEach(place -> nodes.unreserve(place.was.type(), place.slot));
        }
    }

    /** Keeps again what the gang did not take; whether something is not kept any longer. */
    boolean takeBack(Gang gang) {
        if (!has(gang)) {
            return false;
        }
        int before = ended.size();
        List<Place> left = new ArrayList<>();
        for (Place place : places.getOrDefault(gang, List.of())) {
            boolean free =
                    nodes.hasRoom(place.was.type(), place.slot) && outlook.willHaveRoom(place.was.type(), place.slot);
            if (free && left.size() < gang.missing()) {
                nodes.reserve(place.was.type(), place.slot);
                left.add(place);
            } else {
                ended.add(place.was);
            }
        }
        put(gang, left);
        return ended.size() > before;
    }

    /** Nothing is kept for a gang any longer. */
    void end(Gang gang) {
        end(gang, _ -> true);
    }

    /** A node is gone, and all room there. */
    void nodeGone(String name) {
        for (Gang gang : List.copyOf(places.keySet())) {
            end(gang, place -> place.was.pod().node().equals(name));
        }
    }

    private void end(Gang gang, Predicate<Place> which) {
        if (!has(gang)) {
            return;
        }
        List<Place> left = new ArrayList<>();
        for (Place place : places.getOrDefault(gang, List.of())) {
            if (which.test(place)) {
                nodes.unreserve(place.was.type(), place.slot);
                ended.add(place.was);
            } else {
                left.add(place);
            }
        }
        put(gang, left);
    }

    private void put(Gang gang, List<Place> left) {
        if (left.isEmpty()) {
            places.remove(gang);
        } else {
            places.put(gang, left);
        }
    }

    /** Those whose room was kept and is not any longer, once. */
    List<PlacedPod> takeEnded() {
        if (ended.isEmpty()) {
            return List.of();
        }
        List<PlacedPod> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }
}
