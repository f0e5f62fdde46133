package lavaflow.gang;

import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Tries to place as many pods of a gang as it needs, and notes what it fails for. */
final class Trial {
    final Plan plan;
    private final Session session;
    private final Queue queue;
    private final Gang gang;
    private final List<Waiting> waiting = new ArrayList<>();
    /** Roles and classes of which no pod finds a node. */
    private final Set<String> failed = new HashSet<>();

    private final Set<Object> failedKinds = new HashSet<>();
    private boolean plain = true;
    private final Set<String> beyond = new HashSet<>();

    Trial(Session session, Queue queue, Gang gang) {
        this.session = session;
        this.queue = queue;
        this.gang = gang;
        this.plan = new Plan(session.state);
    }

    /** Whether gangs that are alike fail for the same. */
    boolean failsLikeOthers() {
        return plain;
    }

    /** Whether only room on nodes would help. */
    boolean needsRoom() {
        return plain && beyond.isEmpty() && !waiting.isEmpty();
    }

    /** What kept pods from being placed. */
    List<Waiting> waiting() {
        return List.copyOf(waiting);
    }

    /**
     * Places pods until the gang is ready; whether it is.
     *
     * @param members loses those that were tried
     */
    boolean place(Deque<Member> members) {
        members.forEach(member -> member.tried = -1);
        Search.Run run = null;
        while (!members.isEmpty()) {
            Member member = members.remove();
            if (!session.cluster().isLonely(member.type)) {
                plan.settle();
            }
            if (isHopeless(member) || isBeyond(member)) {
                continue;
            }
            if (run == null || !run.serves(member)) {
                run = session.search().run(member);
            }
            plain &= run.isPlain();
            if (!placeAwaited(run, member) && !placeAlike(run, member, members) && !placeOne(run, member)) {
                fail(member, run);
                if (!goesOn()) {
                    break;
                }
            } else if (session.votes.isReady(gang)) {
                break;
            }
        }
        return session.votes.isReady(gang);
    }

    /** Where others had to go for a pod it goes, as long as it can: else they went in vain. */
    private boolean placeAwaited(Search.Run run, Member member) {
        if (member.awaited.isEmpty()) {
            return false;
        }
        plan.settle();
        return place(member, run.findOn(member.awaited));
    }

    /**
     * Places a pod and those after it that cannot be told from it in one step, at most as many as it takes until the gang can be ready;
     * false if there is no room, or if more has to be known of nodes than how many pods there are.
     */
    private boolean placeAlike(Search.Run run, Member first, Deque<Member> members) {
        if (session.lines().isThorough() || !run.canCount() || run.bestWithRoom() < 0) {
            return false;
        }
        int wanted = Math.min(session.votes.missing(gang), members.size() + 1);
        int allowed = session.votes.allowed(queue, first, wanted);
        List<Member> alike = new ArrayList<>(allowed);
        alike.add(first);
        while (alike.size() < allowed && isAlike(run, first, members.element())) {
            alike.add(members.remove());
        }
        int placed = plan.allocate(alike, run::bestWithRoom);
        for (Member left : alike.subList(placed, alike.size()).reversed()) {
            members.addFirst(left);
        }
        return true;
    }

    private static boolean isAlike(Search.Run run, Member one, Member other) {
        return other.role == one.role && other.awaited.isEmpty() && run.serves(other);
    }

    private boolean placeOne(Search.Run run, Member member) {
        if (!run.canCount()) {
            // The pods it has so far may matter.
            plan.settle();
        }
        return place(member, run.find());
    }

    private boolean place(Member member, Search.@Nullable Found found) {
        if (found == null) {
            return false;
        }
        if (found.now()) {
            plan.allocate(member, found.slot());
        } else {
            plan.pipeline(member, found.slot());
        }
        return true;
    }

    /** The same for a gang that cares where in the network it is. */
    boolean placeInNetwork(Deque<Member> members) {
        plain = false;
        NetworkTrial trial = new NetworkTrial(session, queue, gang, plan, false);
        boolean ready = trial.place(members);
        if (!ready) {
            waiting.addAll(trial.waiting());
        }
        return ready;
    }

    private boolean isHopeless(Member member) {
        return (!failedKinds.isEmpty() && failedKinds.contains(kind(member)))
                || (!member.spec.role().isEmpty() && failed.contains(member.spec.role()));
    }

    private boolean isBeyond(Member member) {
        int column = session.votes.beyond(queue, member);
        if (column == Plugin.Allowance.CLOSED) {
            if (beyond.add("")) {
                waiting.add(new Waiting.QueueNotOpen(queue.spec.name(), queue.spec.state()));
            }
        } else if (column >= 0) {
            String resource = session.resource(column);
            String role = member.spec.role();
            if (beyond.add(resource + " " + role)) {
                String name = member.spec.pod().name();
                waiting.add(new Waiting.BeyondAllowance(queue.spec.name(), resource, role, name));
            }
        }
        return column >= 0;
    }

    /** What pods have in common that nodes cannot tell apart. */
    private Object kind(Member member) {
        List<Object> scopes = session.nodeVotes.scopes(member);
        return scopes == null || scopes.isEmpty() ? member.type : List.of(member.type, scopes);
    }

    private void fail(Member member, Search.Run run) {
        failed.add(member.spec.role());
        if (run.isPlain()) {
            failedKinds.add(kind(member));
        }
        waiting.add(session.search().why(member, run));
    }

    /** Whether a gang may still become ready although some of its pods fit nowhere. */
    private boolean goesOn() {
        if (gang.spec.minMember() >= gang.members().size()) {
            return false;
        }
        int minima = gang.spec.minTaskMember().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        if (gang.spec.minMember() < minima) {
            long others = gang.members().stream()
                    .filter(member -> member.waits() && !failed.contains(member.spec.role()))
                    .count();
            return gang.tally().ready() + others >= gang.spec.minMember();
        }
        return failed.stream().noneMatch(gang::needsMoreOf);
    }
}
