package lavaflow.gang;

import java.util.HashMap;
import java.util.Map;

import lavaflow.placement.ClusterState;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.PodClass;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/** The pods of gangs, as the API tells them. */
final class Members {
    private final GangState state;
    private final ClusterState cluster;
    private final Changes changes;
    private final Placements placements;
    private final KeptPlaces kept;
    /** By uid. */
    private final Map<String, Member> members = new HashMap<>();

    final Orphans orphans;

    Members(GangState state) {
        this.state = state;
        this.cluster = state.cluster;
        this.changes = state.changes;
        this.placements = state.placements;
        this.kept = state.kept;
        this.orphans = new Orphans(cluster);
    }

    @Nullable
    Member find(String uid) {
        return members.get(uid);
    }

    /** A pod as the API tells it; those without a PodGroup only take room. */
    void put(MemberSpec spec) {
        ScheduledPod pod = spec.pod();
        Member known = members.get(pod.uid());
        if (known != null && (isStillWaiting(known, spec) || isWaitingAsBefore(known, spec))) {
            known.spec = shared(spec, known.gang, known.type);
            return;
        }
        if (known == null && orphans.isGiven(pod.uid())) {
            if (spec.stage() == Stage.PENDING) {
                // Whether it has its node is told by the binding, or when it is seen there.
                orphans.remove(spec);
                orphans.put(spec);
                return;
            }
            orphans.takeGiven(pod.uid());
        }
        PlacedPod had = known == null ? null : place(known);
        if (known != null) {
            drop(known);
        } else {
            orphans.remove(spec);
        }
        settle(pod);
        Member now = spec.group().isEmpty() ? null : putMember(spec);
        if (known != null && now != null) {
            now.evicted = known.evicted || known.isToldToGo();
        }
        if (known != null && had != null && spec.stage() == Stage.FAILED) {
            keepPlace(known, had);
        }
    }

    /** The room that a pod has and that another in its place will need; null if it has none, or had to give it back. */
    private @Nullable PlacedPod place(Member member) {
        boolean has = member.stage.canBeEvicted() || (member.stage == Stage.RELEASING && !member.isToldToGo());
        return has && member.spec.owned() && !member.evicted ? cluster.findPlaced(member.uid()) : null;
    }

    /** A pod has died: its room is kept if its gang ran and cannot do without it, and if nobody was to have it. */
    private void keepPlace(Member dead, PlacedPod had) {
        Gang gang = dead.gang;
        boolean ran = gang.phase == GroupPhase.RUNNING || gang.phase == GroupPhase.UNKNOWN || kept.has(gang);
        if (ran) {
            keep(gang, had, dead.slot);
        }
    }

    /** The API did not accept a place: it is kept for another attempt if others of the gang have theirs and cannot do without. */
    void unbind(Member member) {
        PlacedPod had = cluster.findPlaced(member.uid());
        int slot = member.slot;
        Gang gang = member.gang;
        placements.unbind(member);
        if (had != null && gang.tally().holding() > 0) {
            keep(gang, had, slot);
        }
    }

    private void keep(Gang gang, PlacedPod had, int slot) {
        boolean counts = gang.queue != null && !gang.spec.deleting() && state.gang(gang.spec.key()) == gang;
        // Other gangs were only promised what is left over.
        boolean awaited = cluster.isAwaited(had.pod().node(), uid -> !members.containsKey(uid));
        if (counts && !awaited) {
            changes.disturb(gang);
            kept.keep(gang, had, slot);
        }
    }

    /** Whether the API tells nothing of what was decided: then that still holds. */
    private static boolean isStillWaiting(Member known, MemberSpec spec) {
        boolean coming = known.stage.isUnconfirmed() || known.stage == Stage.PIPELINED;
        boolean going = known.isToldToGo();
        return ((going && spec.stage().canBeEvicted()) || ((going || coming) && spec.stage() == Stage.PENDING))
                && spec.group().equals(known.spec.group())
                && spec.role().equals(known.spec.role())
                && spec.pod().key().equals(known.spec.pod().key());
    }

    /** Whether nothing is new of a pod that waits but what was written about it. */
    private static boolean isWaitingAsBefore(Member known, MemberSpec spec) {
        return known.stage == Stage.PENDING && known.spec.saysTheSame(spec);
    }

    private void settle(ScheduledPod pod) {
        if (!pod.occupies()) {
            cluster.forget(pod.uid());
            return;
        }
        PlacedPod before = cluster.findPlaced(pod.uid());
        boolean stays = before != null
                && before.pod().node().equals(pod.node())
                && before.pod().deleting() == pod.deleting()
                && before.pod().key().equals(pod.key());
        long known = changes.helps();
        cluster.place(pod);
        if (stays) {
            // It had its room all the time.
            changes.unhelp(known);
        }
    }

    private @Nullable Member putMember(MemberSpec spec) {
        ScheduledPod pod = spec.pod();
        Gang gang = state.gang(spec.groupKey());
        if (gang == null) {
            orphans.put(spec);
            return null;
        }
        PodClass type = cluster.retain(pod.key());
        Member member = new Member(gang, shared(spec, gang, type), type, state.request(type));
        PlacedPod placed = orphans.takeGiven(pod.uid()) ? cluster.findPlaced(pod.uid()) : null;
        String node = placed == null ? pod.node() : placed.pod().node();
        if (placed != null) {
            member.stage = Stage.BINDING;
        }
        member.slot = node.isEmpty() ? -1 : cluster.nodes().slot(node);
        members.put(pod.uid(), member);
        changes.touch(gang);
        if (spec.gated()) {
            // Less is expected of its gang for now.
            changes.help();
        }
        changes.count(gang, () -> gang.add(member));
        placements.told(member);
        return member;
    }

    /** The same, with what it has in common with others kept once. */
    private MemberSpec shared(MemberSpec spec, Gang gang, PodClass type) {
        PlacedPod placed = cluster.findPlaced(spec.pod().uid());
        boolean same = placed != null
                && placed.type() == type
                && placed.pod().node().equals(spec.pod().node())
                && placed.pod().revision().equals(spec.pod().revision());
        ScheduledPod pod = placed != null && same ? placed.pod() : spec.pod().of(type);
        Member peer = gang.peer();
        return spec.sharing(pod, gang.spec, peer == null ? null : peer.spec);
    }

    void remove(String uid) {
        orphans.takeGiven(uid);
        Member member = members.get(uid);
        PlacedPod had = member == null ? null : place(member);
        if (member != null) {
            drop(member);
        } else {
            orphans.remove(uid);
        }
        cluster.forget(uid);
        if (member != null && had != null) {
            keepPlace(member, had);
        }
    }

    private void drop(Member member) {
        members.remove(member.uid());
        placements.withdraw(member);
        changes.touch(member.gang);
        changes.count(member.gang, () -> member.gang.remove(member));
        cluster.release(member.type);
    }

    /** A pod that another core is giving its node. */
    void restore(MemberSpec binding) {
        ScheduledPod pod = binding.pod();
        cluster.place(pod);
        orphans.give(pod.uid());
        putMember(binding.with(pod.on("")));
    }

    /** The API did not accept a place of a pod whose group is gone. */
    void unbindOrphan(String uid) {
        if (orphans.takeGiven(uid)) {
            cluster.forget(uid);
        }
    }

    /** The pods of a group that is gone belong to nobody. */
    void abandon(Gang gang) {
        for (Member member : gang.members()) {
            members.remove(member.uid());
            placements.withdraw(member);
            if (member.isUnconfirmed()) {
                orphans.give(member.uid());
            } else if (member.stage == Stage.ALLOCATED) {
                cluster.forget(member.uid());
            }
            cluster.release(member.type);
            orphans.put(member.spec);
        }
    }

    /** The pods of a group that was not known before belong to it. */
    void adopt(String group) {
        orphans.take(group).forEach(this::putMember);
    }
}
