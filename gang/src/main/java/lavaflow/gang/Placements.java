package lavaflow.gang;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

/** What is decided about the places of pods, and taken back. */
final class Placements {
    /** Hears of pods that got or lost their room. */
    interface Listener {
        void roomTaken(Member member);

        void roomGiven(Member member);

        /** The same for pods of a gang that are alike, each on its node. */
        default void roomTaken(List<Member> alike) {
            alike.forEach(this::roomTaken);
        }

        default void roomGiven(List<Member> alike) {
            alike.forEach(this::roomGiven);
        }

        default void roomPromised(Member member) {}

        default void promiseEnded(Member member) {}
    }

    private final ClusterState cluster;
    private final Outlook outlook;
    private final Changes changes;
    private final Predicate<Member> known;
    /** Pods that wait for others to go. */
    private final Set<Member> pipelined = new LinkedHashSet<>();
    /** Pods with room that was not given to them for good. */
    private final List<Member> reserved = new ArrayList<>();

    private Listener listener = new Listener() {
        @Override
        public void roomTaken(Member member) {}

        @Override
        public void roomGiven(Member member) {}
    };

    /** @param known whether a pod is still there */
    Placements(ClusterState cluster, Outlook outlook, Changes changes, Predicate<Member> known) {
        this.cluster = cluster;
        this.outlook = outlook;
        this.changes = changes;
        this.known = known;
    }

    void listen(Listener wanted) {
        listener = wanted;
    }

    /** A waiting pod gets room that is there. */
    void allocate(Member member, int slot) {
        cluster.place(member.spec.pod().on(cluster.nodes().node(slot).name()), member.type, slot);
        member.slot = slot;
        move(member, Stage.ALLOCATED);
        listener.roomTaken(member);
    }

    void undoAllocate(Member member) {
        listener.roomGiven(member);
        move(member, Stage.PENDING);
        member.slot = -1;
        cluster.forget(member.uid());
    }

    /**
     * Gives waiting pods that are alike and lonely room that is there, as long as there is some; how many got it. Who is on the nodes is
     * only told when it is settled: until then the room is reserved for so many.
     *
     * @param best the next node with room; -1 if there is none
     */
    int allocate(List<Member> alike, IntSupplier best) {
        NodeTable nodes = cluster.nodes();
        int count = 0;
        while (count < alike.size()) {
            int slot = best.getAsInt();
            if (slot < 0) {
                break;
            }
            Member member = alike.get(count++);
            nodes.reserve(member.type, slot);
            member.slot = slot;
        }
        if (count > 0) {
            List<Member> placed = alike.subList(0, count);
            move(placed, Stage.ALLOCATED);
            listener.roomTaken(placed);
        }
        return count;
    }

    /** Tells who is on the nodes where room was reserved. */
    void settle(List<Member> alike) {
        NodeTable nodes = cluster.nodes();
        for (Member member : alike) {
            cluster.placeReserved(member.spec.pod().on(nodes.node(member.slot).name()), member.type, member.slot);
        }
    }

    /** Takes back what was not settled. */
    void undoReserved(List<Member> alike) {
        listener.roomGiven(alike);
        move(alike, Stage.PENDING);
        for (Member member : alike) {
            cluster.nodes().unreserve(member.type, member.slot);
            member.slot = -1;
        }
    }

    /** A waiting pod gets room that will be there. */
    void pipeline(Member member, int slot) {
        outlook.promises(member.type, slot);
        member.slot = slot;
        move(member, Stage.PIPELINED);
        listener.roomPromised(member);
        pipelined.add(member);
    }

    void undoPipeline(Member member) {
        pipelined.remove(member);
        listener.promiseEnded(member);
        move(member, Stage.PENDING);
        outlook.promisesNoMore(member.type, member.slot);
        member.slot = -1;
        member.made = false;
    }

    /** A pod has room that its gang cannot use before others have gone; nobody else gets it in this round. */
    void reserve(Member member) {
        reserved.add(member);
    }

    /** What was only promised is decided anew in every round: by now the room may be there, or another's turn. */
    void undoPromises() {
        if (!pipelined.isEmpty() || !reserved.isEmpty()) {
            // Who is not given it this time may have been what kept others from it.
            changes.help();
        }
        for (Member member : List.copyOf(pipelined)) {
            cluster.endNomination(member.uid());
            if (member.made) {
                member.awaited = cluster.nodes().node(member.slot).name();
            }
            undoPipeline(member);
        }
        for (Member member : reserved) {
            if (member.stage == Stage.ALLOCATED && known.test(member)) {
                undoAllocate(member);
            }
        }
        reserved.clear();
    }

    boolean hasPromises() {
        return !pipelined.isEmpty();
    }

    /** Until the next round those who place other pods leave the room that was promised. */
    void tellPromises() {
        for (Member member : pipelined) {
            cluster.nominate(
                    member.spec.pod(), cluster.nodes().node(member.slot).name());
        }
    }

    /** A pod has to leave its node. */
    void evict(Member member) {
        listener.roomGiven(member);
        move(member, Stage.RELEASING);
        outlook.releases(member.type, member.slot);
        changes.touch(member.gang);
    }

    void undoEvict(Member member, Stage before) {
        boolean has = member.stage.holdsRoom();
        outlook.releasesNoMore(member.type, member.slot);
        move(member, before);
        if (!has) {
            listener.roomTaken(member);
        }
        changes.touch(member.gang);
    }

    /** A pod that has to leave its node may not yet: others wait for it, and it counts until then. */
    void linger(Member member) {
        move(member, Stage.LINGERING);
        listener.roomTaken(member);
        changes.touch(member.gang);
    }

    /** A place that the API did not accept is going to be told again. */
    void delay(Member member) {
        move(member, Stage.DELAYED);
        changes.touch(member.gang);
    }

    /** The API did not accept a place. */
    void unbind(Member member) {
        undoAllocate(member);
        changes.touch(member.gang);
    }

    /** A pod whose place is being told to the API. */
    void bind(Member member) {
        bind(List.of(member));
    }

    /** The same for pods of a gang that are alike. */
    void bind(List<Member> alike) {
        move(alike, Stage.BINDING);
        for (Member member : alike) {
            member.told = null;
        }
        changes.touch(alike.getFirst().gang);
    }

    /** A pod has its room as the API tells. */
    void told(Member member) {
        if (member.stage.holdsRoom()) {
            listener.roomTaken(member);
        }
    }

    /** Takes back what was only decided. */
    void withdraw(Member member) {
        if (member.stage == Stage.PIPELINED) {
            changes.help();
            cluster.endNomination(member.uid());
            pipelined.remove(member);
            listener.promiseEnded(member);
            outlook.promisesNoMore(member.type, member.slot);
        }
        if (member.isToldToGo()) {
            outlook.releasesNoMore(member.type, member.slot);
        }
        if (member.stage.holdsRoom()) {
            listener.roomGiven(member);
        }
    }

    private void move(Member member, Stage stage) {
        move(List.of(member), stage);
    }

    /** Moves pods of a gang that are alike. */
    private void move(List<Member> alike, Stage stage) {
        Gang gang = alike.getFirst().gang;
        changes.disturb(gang);
        Queue queue = gang.queue;
        if (queue == null) {
            gang.move(alike, stage);
        } else {
            queue.move(alike, stage);
        }
    }
}
