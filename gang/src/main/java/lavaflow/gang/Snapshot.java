package lavaflow.gang;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;
import lavaflow.placement.PlacedPod;
import lavaflow.placement.ScheduledPod;

import org.jspecify.annotations.Nullable;

/**
 * Everything decisions depend on at one moment, in values that nobody changes: a core that is made of it decides as the one it was taken
 * from would, and can be tried out on another thread. Taking one copies references only.
 *
 * @param members pods of gangs, where they are as far as it was decided
 * @param binding uids of those whose node the API has not confirmed yet
 * @param others pods that only take room
 * @param expected pods of no gang that others make room for, each with its node
 * @param kept room that is kept for gangs whose pods died
 * @param usualPriority the priority class of those that name none; empty if there is none
 */
public record Snapshot(
        Instant now,
        Configuration configuration,
        ClusterState.Scenery scenery,
        List<NodeTable.Node> nodes,
        List<QueueSpec> queues,
        List<GroupSpec> groups,
        List<MemberSpec> members,
        Set<String> binding,
        List<ScheduledPod> others,
        List<ScheduledPod> expected,
        List<Kept> kept,
        Map<String, Integer> priorities,
        String usualPriority,
        List<Surroundings.Quota> quotas,
        Map<String, Surroundings.Usage> usages,
        List<HyperNodeSpec> network,
        List<NumatopologySpec> topologies) {

    /**
     * Room that is kept for a gang of which a pod died.
     *
     * @param group the PodGroup it is kept for, by namespace and name
     * @param was the pod that died, with its node
     * @param until when that ends; null until the next round
     */
    public record Kept(
            String group, ScheduledPod was, @Nullable Instant until) {}

    static Snapshot of(GangState state, Configuration configuration, Instant now) {
        List<GroupSpec> groups = new ArrayList<>();
        List<MemberSpec> members = new ArrayList<>(state.members.orphans.all());
        Set<String> binding = new HashSet<>(state.members.orphans.given());
        for (Gang gang : state.gangs()) {
            groups.add(gang.spec.in(gang.phase.toString()));
            for (Member member : gang.members()) {
                members.add(decided(member, state.cluster.nodes()));
                if (member.isUnconfirmed()) {
                    binding.add(member.uid());
                }
            }
        }
        List<ScheduledPod> others = new ArrayList<>();
        for (PlacedPod placed : state.cluster.placed()) {
            if (state.member(placed.pod().uid()) == null) {
                others.add(placed.pod());
            }
        }
        return new Snapshot(
                now,
                configuration,
                state.cluster.scenery(),
                state.cluster.nodes().all(),
                state.queues().stream().map(Queue::spec).toList(),
                groups,
                members,
                binding,
                others,
                state.cluster.nominated().stream()
                        .filter(pod -> state.member(pod.uid()) == null)
                        .toList(),
                state.kept.all(),
                new LinkedHashMap<>(state.surroundings.priorities()),
                state.usualClass(),
                state.surroundings.quotas(),
                state.surroundings.usages(),
                state.network.specs(),
                List.copyOf(state.numatopologies.values()));
    }

    /** A pod as if the API had told what was decided for good. */
    private static MemberSpec decided(Member member, NodeTable nodes) {
        ScheduledPod pod = member.spec.pod();
        if (member.isUnconfirmed()) {
            pod = pod.on(nodes.node(member.slot).name());
        }
        if (member.isToldToGo() && member.stage != Stage.LINGERING) {
            return member.spec.with(pod.going());
        }
        if (member.isUnconfirmed()) {
            return member.spec.with(pod);
        }
        return member.awaited.equals(pod.nominated()) ? member.spec : member.spec.with(pod.expectedOn(member.awaited));
    }

    /** A core that knows all of this. */
    public GangCore restore(BiFunction<Configuration.Entry, Session, @Nullable Plugin> plugins) {
        ClusterState cluster = ClusterState.in(scenery);
        GangCore core = new GangCore(cluster, plugins);
        nodes.forEach(core::onNode);
        priorities.forEach((name, value) -> core.onPriority(name, value, name.equals(usualPriority)));
        queues.forEach(core::onQueue);
        groups.forEach(core::onGroup);
        network.forEach(core::onHyperNode);
        topologies.forEach(core::onNumatopology);
        Surroundings surroundings = core.surroundings();
        quotas.forEach(surroundings::put);
        usages.forEach(surroundings::put);
        others.stream().sorted(Comparator.comparing(ScheduledPod::uid)).forEach(cluster::place);
        for (MemberSpec member : members) {
            if (binding.contains(member.pod().uid())) {
                core.restore(member);
            } else {
                core.onPod(member);
            }
        }
        kept.forEach(core::restore);
        expected.forEach(pod -> cluster.nominate(pod, pod.node()));
        core.configure(configuration);
        return core;
    }

    // ---- what if ----

    /** With more nodes. */
    public Snapshot withNodes(List<NodeTable.Node> more) {
        List<NodeTable.Node> all = new ArrayList<>(nodes);
        all.addAll(more);
        return with(all, queues, groups, members, others);
    }

    /** With all nodes changed. */
    public Snapshot changingNodes(UnaryOperator<NodeTable.Node> change) {
        return with(nodes.stream().map(change).toList(), queues, groups, members, others);
    }

    /** With a queue in place of the one of its name, if there is one. */
    public Snapshot withQueue(QueueSpec queue) {
        List<QueueSpec> all = new ArrayList<>(queues);
        all.removeIf(each -> each.name().equals(queue.name()));
        all.add(queue);
        return with(nodes, all, groups, members, others);
    }

    /** With a PodGroup in place of the one of its name. */
    public Snapshot withGroup(GroupSpec group) {
        return with(
                nodes,
                queues,
                groups.stream()
                        .map(each -> each.key().equals(group.key()) ? group : each)
                        .toList(),
                members,
                others);
    }

    /** With more pods of gangs. */
    public Snapshot withMembers(List<MemberSpec> more) {
        List<MemberSpec> all = new ArrayList<>(members);
        all.addAll(more);
        return with(nodes, queues, groups, all, others);
    }

    /**
     * Without some gangs and pods.
     *
     * @param keys of PodGroups, whose pods go with them
     * @param uids of pods
     */
    public Snapshot without(Set<String> keys, Set<String> uids) {
        return with(
                nodes,
                queues,
                groups.stream().filter(group -> !keys.contains(group.key())).toList(),
                members.stream()
                        .filter(each -> !uids.contains(each.pod().uid())
                                && !keys.contains(each.pod().namespace() + "/" + each.group()))
                        .toList(),
                others.stream().filter(pod -> !uids.contains(pod.uid())).toList());
    }

    private Snapshot with(
            List<NodeTable.Node> itsNodes,
            List<QueueSpec> itsQueues,
            List<GroupSpec> itsGroups,
            List<MemberSpec> itsMembers,
            List<ScheduledPod> itsOthers) {
        return new Snapshot(
                now,
                configuration,
                scenery,
                itsNodes,
                itsQueues,
                itsGroups,
                itsMembers,
                binding,
                itsOthers,
                expected,
                kept,
                priorities,
                usualPriority,
                quotas,
                usages,
                network,
                topologies);
    }
}
