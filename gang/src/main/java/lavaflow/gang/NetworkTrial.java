package lavaflow.gang;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Tries to place a gang in parts of the network that are close enough, the closest first: what was found in each is taken back, and the
 * best is done again.
 */
final class NetworkTrial {
    /** Where a pod goes. */
    private record Step(Member member, int slot, boolean now) {}

    /** What was found in a part of the network. */
    private record Solution(List<Step> steps, boolean ready, double score) {
        boolean isBetterThan(@Nullable Solution other) {
            return other == null || (ready == other.ready ? score > other.score : ready);
        }
    }

    private final Session session;
    private final Queue queue;
    private final Gang gang;
    private final SubGangs parts;
    private final Plan plan;
    /** Evicting for it: pods get room that will be there, although it may be there already. */
    private final boolean pipelined;

    private int tried;
    private @Nullable Waiting failure;

    NetworkTrial(Session session, Queue queue, Gang gang, Plan plan, boolean pipelined) {
        this.session = session;
        this.queue = queue;
        this.gang = gang;
        this.parts = gang.parts();
        this.plan = plan;
        this.pipelined = pipelined;
    }

    /** What keeps it from being placed. */
    List<Waiting> waiting() {
        int tier = parts.whole().highestTier(session.network());
        List<Waiting> all = new ArrayList<>();
        all.add(
                session.network().isConsistent()
                        ? new Waiting.NoDomain(tier < 0 ? session.network().highestTier() : tier, tried)
                        : new Waiting.NetworkUnclear());
        if (failure != null) {
            all.add(failure);
        }
        return all;
    }

    /**
     * Places pods until the gang is ready; whether it is.
     *
     * @param members loses those that were tried
     */
    boolean place(Deque<Member> members) {
        members.forEach(member -> member.tried = -1);
        boolean found = session.network().isConsistent()
                && placeWithin(session.network().top());
        members.removeIf(member -> !found || !member.waits());
        return session.votes.isReady(gang);
    }

    /** Whether enough pods of the gang have a place in a part of the network, some perhaps only when others are gone. */
    boolean placeWithin(HyperNode all) {
        SubGang whole = parts.whole();
        for (List<HyperNode> row : rows(whole, all)) {
            Solution best = null;
            for (HyperNode domain : row) {
                tried++;
                int before = plan.mark();
                double score = placeParts(domain);
                boolean ready = session.votes.isReady(gang);
                if (plan.mark() > before && (ready || session.votes.isPipelined(gang))) {
                    Solution found = new Solution(steps(before), ready, score);
                    best = found.isBetterThan(best) ? found : best;
                }
                plan.undoTo(before);
            }
            if (best != null) {
                replay(best);
                return true;
            }
        }
        return false;
    }

    private List<List<HyperNode>> rows(SubGang part, HyperNode within) {
        return part.highestTier(session.network()) < 0
                ? List.of(List.of(within))
                : session.votes.rows(part, within, Plugin.Purpose.ALLOCATE);
    }

    private List<Step> steps(int from) {
        List<Step> steps = new ArrayList<>();
        List<Plan.Step> all = plan.steps();
        for (Plan.Step step : all.subList(from, all.size())) {
            steps.add(new Step(step.member(), step.member().slot, step instanceof Plan.Step.Allocate));
        }
        return steps;
    }

    private void replay(Solution solution) {
        for (Step step : solution.steps) {
            put(step.member, step.slot, step.now);
        }
    }

    private void put(Member member, int slot, boolean now) {
        if (now && !pipelined) {
            plan.allocate(member, slot);
        } else {
            plan.pipeline(member, slot);
        }
    }

    /** Places one part of the gang after the other until there are enough; how good the places are. */
    private double placeParts(HyperNode domain) {
        double sum = 0;
        for (List<SubGang> row : List.of(parts.needed(), parts.others())) {
            Deque<SubGang> left = new ArrayDeque<>(row);
            while (!left.isEmpty()) {
                SubGang part = left.remove();
                Solution best = part.members().stream().anyMatch(Member::waits) ? best(part, domain) : null;
                if (best != null) {
                    replay(best);
                    sum += best.score;
                    if (isEnough()) {
                        return sum;
                    }
                    left.add(part); // it has enough, but the gang may need more of its pods
                }
            }
        }
        return sum;
    }

    private boolean isEnough() {
        return pipelined ? session.votes.isPipelined(gang) : session.votes.isReady(gang);
    }

    private @Nullable Solution best(SubGang part, HyperNode domain) {
        // A gang that is one part has been tried in what is closer already.
        boolean only = part.policy().isEmpty() && gang.spec.subGroups().isEmpty();
        List<List<HyperNode>> rows = only ? List.of(List.of(domain)) : rows(part, domain);
        for (List<HyperNode> row : rows) {
            double[] scores = session.votes.domainScores(part, row);
            Solution best = null;
            for (int i = 0; i < row.size(); i++) {
                int before = plan.mark();
                placeMembers(part, row.get(i));
                if (plan.mark() > before && (part.isReady() || part.isPipelined())) {
                    Solution found = new Solution(steps(before), part.isReady(), scores[i]);
                    best = found.isBetterThan(best) ? found : best;
                }
                plan.undoTo(before);
            }
            if (best != null) {
                return best;
            }
        }
        return null;
    }

    private void placeMembers(SubGang part, HyperNode domain) {
        List<Member> members = new ArrayList<>();
        part.members().stream()
                .filter(member -> member.waits() && !member.spec.bestEffort())
                .forEach(members::add);
        members.sort(session.votes.memberOrder());
        Set<String> failed = new HashSet<>();
        Search.Run run = null;
        for (Member member : members) {
            boolean hopeless = !member.spec.role().isEmpty() && failed.contains(member.spec.role());
            if (hopeless || session.votes.beyond(queue, member) >= 0) {
                continue;
            }
            if (run == null || !run.serves(member)) {
                run = session.search().run(member, domain);
            }
            Search.Found found = run.find();
            if (found == null) {
                failed.add(member.spec.role());
                note(member, domain);
                continue;
            }
            put(member, found.slot(), found.now());
            if (pipelined ? part.isPipelined() : part.isReady()) {
                return;
            }
        }
    }

    private void note(Member member, HyperNode domain) {
        if (failure == null) {
            failure = new Waiting.NoNode(
                    member.spec.role(),
                    member.spec.pod().name(),
                    domain.slots().cardinality(),
                    session.search().refusals(member, domain));
        }
    }
}
