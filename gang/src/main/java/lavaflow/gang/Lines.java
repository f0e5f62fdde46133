package lavaflow.gang;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Puts gangs that wait into lines, so that a round looks at one gang of each kind instead of at all. */
final class Lines {
    /** Of larger gangs hardly two are alike, and finding out takes long. */
    private static final int ALIKE = 64;

    private static final String NOTES = "kubectl.kubernetes.io/";

    /** What plugins may tell gangs apart by, besides their age. */
    private record Shape(
            String namespace,
            GroupPhase phase,
            int priority,
            int minMember,
            boolean ready,
            Map<String, Integer> minTaskMember,
            @Nullable Map<String, Long> minResources,
            ObjectNode annotations,
            ObjectNode labels,
            List<Need> members) {}

    /** What nodes and plugins may tell pods apart by, besides their names and labels. */
    private record Need(
            Object choice,
            List<Long> requests,
            List<Object> scopes,
            String role,
            int priority,
            boolean gated,
            boolean ours,
            boolean preempts,
            ObjectNode annotations) {}

    /** A gang that is like no other. */
    private record Single(Gang gang, boolean outside) {}

    private final Session session;
    private final GangState state;
    private final Comparator<Gang> order;
    private long passes;
    /** Each gang is a kind of its own, and nothing is remembered. */
    private boolean thorough;

    Lines(Session session) {
        this.session = session;
        this.state = session.state;
        this.order = session.votes.gangOrder();
        restart();
    }

    void lookAtAll() {
        thorough = true;
        restart();
    }

    /** Whether nothing is taken for granted because it was so for others. */
    boolean isThorough() {
        return thorough;
    }

    private void restart() {
        state.gangs().forEach(state.changes::disturb);
        state.changes.takeLeft();
        state.queues().forEach(queue -> queue.lines.clear());
    }

    /** Puts gangs that changed into their lines. */
    void settle() {
        Set<Line> left = new HashSet<>(state.changes.takeLeft());
        for (Gang gang : state.changes.takeUnlined()) {
            join(gang);
        }
        for (Line line : left) {
            if (line.gangs.isEmpty()) {
                line.queue.lines.remove(line.key, line);
            }
        }
    }

    private void join(Gang gang) {
        if (gang.phase == GroupPhase.PENDING && !session.configuration.has("enqueue") && gang.queue != null) {
            state.phase(gang, GroupPhase.INQUEUE);
            state.changes.touch(gang);
        }
        Queue queue = gang.queue;
        boolean outside = gang.phase == GroupPhase.PENDING;
        if (queue == null || (outside ? gang.spec.deleting() : !waitsInside(gang))) {
            return;
        }
        Object key = key(gang);
        Line line = queue.lines.computeIfAbsent(key, _ -> new Line(queue, key, key instanceof Single, outside, order));
        line.gangs.add(gang);
        gang.line = line;
    }

    private boolean waitsInside(Gang gang) {
        Plugin.Invalid invalid = session.votes.invalid(gang);
        if (invalid != null) {
            gang.waiting = List.of(new Waiting.Invalid(invalid.reason(), invalid.message()));
            return false;
        }
        boolean waits = gang.tally().of(Stage.PENDING) > 0;
        if (!waits && gang.tally().of(Stage.PIPELINED) == 0) {
            gang.waiting = List.of();
        }
        return waits;
    }

    // ---- who is alike ----

    private Object key(Gang gang) {
        int pods = gang.members().size();
        boolean plain = !thorough
                && pods <= ALIKE
                && !state.kept.has(gang)
                && gang.tally().of(Stage.PENDING) == pods
                && gang.spec.topology() == null
                && gang.spec.subGroups().isEmpty();
        List<Need> needs = plain ? needs(gang) : null;
        if (needs == null) {
            return new Single(gang, gang.phase == GroupPhase.PENDING);
        }
        GroupSpec spec = gang.spec;
        return new Shape(
                spec.namespace(),
                gang.phase,
                gang.priority,
                spec.minMember(),
                session.votes.isReady(gang),
                spec.minTaskMember(),
                spec.minResources(),
                telling(spec.annotations()),
                telling(spec.labels()),
                needs);
    }

    private @Nullable List<Need> needs(Gang gang) {
        List<Member> members = new ArrayList<>(gang.members());
        members.sort(session.votes.memberOrder());
        List<Need> needs = new ArrayList<>(members.size());
        for (Member member : members) {
            List<Object> scopes = session.nodeVotes.scopes(member);
            if (scopes == null || !session.cluster().asksOnlyForRoom(member.type)) {
                return null;
            }
            MemberSpec spec = member.spec;
            needs.add(new Need(
                    member.type.choice,
                    member.type.demand,
                    scopes,
                    spec.role(),
                    spec.priority(),
                    spec.gated(),
                    spec.ours(),
                    spec.pod().preempts(),
                    telling(withoutGroup(spec.annotations()))));
        }
        return needs;
    }

    private static ObjectNode withoutGroup(ObjectNode annotations) {
        return annotations.has(MemberSpec.GROUP) ? annotations.deepCopy().without(MemberSpec.GROUP) : annotations;
    }

    /** Without what tools leave behind, which names the object. */
    private static ObjectNode telling(ObjectNode marks) {
        boolean notes = marks.propertyStream().anyMatch(each -> each.getKey().startsWith(NOTES));
        if (!notes) {
            return marks;
        }
        ObjectNode left = marks.deepCopy();
        marks.fieldNames().forEachRemaining(key -> {
            if (key.startsWith(NOTES)) {
                left.remove(key);
            }
        });
        return left;
    }

    // ---- whose turn it is ----

    /** Whether nothing that happened since its first failed could help it. */
    boolean isParked(Line line) {
        return !thorough && line.failedAt == state.changes.helps();
    }

    /** Lets the others of a line go away empty-handed until something helps. */
    void park(Line line, List<Waiting> why) {
        line.failedAt = state.changes.helps();
        line.why = why;
    }

    /** A pass over lines. */
    long pass() {
        return ++passes;
    }

    Comparator<Gang> order() {
        return order;
    }
}
