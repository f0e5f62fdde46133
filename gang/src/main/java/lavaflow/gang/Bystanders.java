package lavaflow.gang;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.placement.Attempt;
import lavaflow.placement.PlacedPod;

import org.jspecify.annotations.Nullable;

/** Those whose place a gang could use, and what spares each of them. */
public final class Bystanders {
    /**
     * Pods of a gang that were thought of.
     *
     * @param gang by namespace and name; empty for pods of no gang
     * @param action that would have them go
     * @param spared what spares them; empty if nothing does and they are just not enough
     * @param plugin who spares them; empty if it is no plugin
     */
    public record Considered(
            String gang, String queue, int priority, int pods, String action, String spared, String plugin) {}

    private record Key(String gang, String action, String spared, String plugin) {}

    private final Session session;
    private final Gang gang;
    private final Queue queue;
    private final Map<Key, Considered> told = new LinkedHashMap<>();
    private final Set<Object> counted = new HashSet<>();

    Bystanders(Session session, Gang gang, Queue queue) {
        this.session = session;
        this.gang = gang;
        this.queue = queue;
    }

    private @Nullable String action(boolean reclaim) {
        Configuration configuration = session.configuration;
        String single = reclaim ? "reclaim" : "preempt";
        String whole = "gang" + single;
        return configuration.has(single) ? single : configuration.has(whole) ? whole : null;
    }

    String powerless(List<Member> waiting) {
        if (action(false) == null && action(true) == null) {
            return "the configuration has no action that makes room: neither preempt nor reclaim";
        }
        if (gang.phase == GroupPhase.PENDING) {
            return "a gang that is not let into its queue takes nobody's place";
        }
        if (!waiting.isEmpty()
                && waiting.stream().noneMatch(each -> each.spec.pod().preempts())) {
            return "its pods say preemptionPolicy: Never";
        }
        return session.votes.isStarving(gang) ? "" : "it has as many pods as it must have";
    }

    List<Considered> considered(List<Member> waiting) {
        if (waiting.isEmpty()) {
            return List.of();
        }
        Set<Object> seen = new HashSet<>();
        for (Member by : waiting) {
            if (seen.add(by.type)) {
                consider(by);
            }
        }
        return List.copyOf(told.values());
    }

    private void consider(Member by) {
        Displacement displacement = new Displacement(session);
        Attempt attempt = session.nodeVotes.attempt(by);
        for (int slot = 0; slot < session.nodes().slots(); slot++) {
            if (!displacement.isHopeful(by, attempt, slot)) {
                continue;
            }
            List<Member> same = new ArrayList<>();
            List<Member> others = new ArrayList<>();
            for (PlacedPod placed : session.nodes().pods(slot)) {
                Member member = session.member(placed.pod().uid());
                if (member == null) {
                    tell(
                            placed.pod().uid(),
                            new Considered("", "", placed.pod().priority(), 1, "", "they are of no gang", ""));
                } else if (member.gang != gang && member.stage.canBeEvicted()) {
                    (member.gang.queue == queue ? same : others).add(member);
                }
            }
            consider(by, same, false);
            consider(by, others, true);
        }
    }

    private void consider(Member by, List<Member> members, boolean reclaim) {
        String action = action(reclaim);
        if (action == null) {
            String without = reclaim
                    ? "they are of another queue, and no action reclaim is configured"
                    : "they are of the same queue, and no action preempt is configured";
            members.forEach(each -> tell(each, "", without));
            return;
        }
        String refusal = reclaim ? mayNotReclaim(by) : "";
        List<Member> left = new ArrayList<>();
        for (Member member : members) {
            String spared = refusal.isEmpty() ? sparedItself(by, member, reclaim) : refusal;
            if (spared.isEmpty()) {
                left.add(member);
            } else {
                tell(member, action, spared);
            }
        }
        askPlugins(by, left, reclaim, action);
    }

    private String mayNotReclaim(Member by) {
        if (session.votes.isOverused(queue)) {
            return "queue " + queue.spec.name() + " has all it deserves and takes nothing back";
        }
        return session.votes.mayReclaim(queue, List.of(by))
                ? ""
                : "queue " + queue.spec.name() + " would have more than it deserves";
    }

    private static String sparedItself(Member by, Member member, boolean reclaim) {
        if (!member.spec.preemptable()) {
            return "they say " + MemberSpec.PREEMPTABLE + ": false";
        }
        if (reclaim && member.stage != Stage.RUNNING) {
            return "they do not run yet";
        }
        Queue its = member.gang.queue;
        if (reclaim && (its == null || !its.spec.reclaimable())) {
            return its == null ? "their queue does not exist" : "queue " + its.spec.name() + " is not reclaimable";
        }
        return !reclaim && by.spec.bestEffort() && !member.spec.bestEffort() ? "they ask for more" : "";
    }

    private void askPlugins(Member by, List<Member> candidates, boolean reclaim, String action) {
        List<Member> left = candidates;
        boolean asked = false;
        for (boolean counting : new boolean[] {false, true}) {
            for (List<Plugin.Victims> tier : session.votes.victims(reclaim)) {
                for (Plugin.Victims plugin : tier) {
                    List<Member> answer =
                            plugin.countsVictims() == counting ? ask(plugin, by, left, reclaim, action) : null;
                    if (answer != null) {
                        asked = true;
                        Set<Member> named = new HashSet<>(answer);
                        String name = session.nameOf(plugin);
                        left.stream()
                                .filter(each -> !named.contains(each))
                                .forEach(each -> tell(each, action, "spared by a plugin", name));
                        left = left.stream().filter(named::contains).toList();
                    }
                }
            }
        }
        String end = asked ? "" : "no plugin says who may have to go";
        left.forEach(each -> tell(each, action, end));
    }

    private static @Nullable List<Member> ask(
            Plugin.Victims plugin, Member by, List<Member> left, boolean reclaim, String action) {
        if (action.startsWith("gang")) {
            return plugin.evictable(by, reclaim, left);
        }
        return reclaim ? plugin.reclaimable(by, left) : plugin.preemptable(by, left);
    }

    private void tell(Member member, String action, String spared) {
        tell(member, action, spared, "");
    }

    private void tell(Member member, String action, String spared, String plugin) {
        Queue its = member.gang.queue;
        tell(
                member.uid(),
                new Considered(
                        member.gang.spec.key(),
                        its == null ? "" : its.spec.name(),
                        member.gang.priority,
                        1,
                        action,
                        spared,
                        plugin));
    }

    /** A pod whose place several kinds of pods could use is told of once. */
    private void tell(String uid, Considered one) {
        Key key = new Key(one.gang, one.action, one.spared, one.plugin);
        if (!counted.add(List.of(uid, key))) {
            return;
        }
        told.merge(
                key,
                one,
                (before, more) -> new Considered(
                        one.gang,
                        one.queue,
                        one.priority,
                        before.pods + more.pods,
                        one.action,
                        one.spared,
                        one.plugin));
    }
}
