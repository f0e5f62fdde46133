package lavaflow.gang;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Makes room for whole gangs: others lose what they can do without, then all of what they have, until the gang has a place as a whole.
 * Nobody goes unless it has, and nobody whose room is not needed in the end.
 */
final class GangDisplacement {
    /**
     * What tells the two actions apart.
     *
     * @param reclaim for another queue's sake
     * @param candidates whether a pod might have to go for a gang
     */
    record Rules(String action, boolean reclaim, BiPredicate<Gang, Member> candidates) {}

    private static final int DOMAINS = 8;

    private final Session session;
    private final Rules rules;
    private final int maxDomains;
    private final boolean allowWhole;
    private final List<Decision> decisions = new ArrayList<>();

    GangDisplacement(Session session, Rules rules) {
        this.session = session;
        this.rules = rules;
        Arguments arguments = session.configuration.argumentsOf(rules.action);
        this.maxDomains = arguments.integer("maxDomains", DOMAINS);
        this.allowWhole = arguments.flag("allowWholeBundle", true);
    }

    List<Decision> run() {
        PriorityQueue<Queue> queues = new PriorityQueue<>(session.votes.queueOrder());
        queues.addAll(session.queues());
        while (!queues.isEmpty()) {
            Queue queue = queues.remove();
            PriorityQueue<Gang> gangs = new PriorityQueue<>(session.votes.gangOrder());
            queue.gangs.stream().filter(this::isStarving).forEach(gangs::add);
            while (!gangs.isEmpty()) {
                Gang gang = gangs.remove();
                if (!rules.reclaim || !session.votes.isOverused(queue)) {
                    session.state.withKeptPlaces(gang, () -> makeRoom(queue, gang));
                }
            }
        }
        return decisions;
    }

    private boolean isStarving(Gang gang) {
        return gang.phase != GroupPhase.PENDING
                && session.votes.invalid(gang) == null
                && session.mayDisplace(gang)
                && session.network().isConsistent();
    }

    private boolean makeRoom(Queue queue, Gang gang) {
        List<Member> needed = needed(gang);
        boolean mayTake = !needed.isEmpty()
                && needed.stream().allMatch(member -> member.spec.pod().preempts())
                && (!rules.reclaim || session.votes.mayReclaim(queue, needed));
        if (!mayTake) {
            return false;
        }
        for (HyperNode domain : domains(gang)) {
            if (makeRoomIn(domain, queue, gang, needed)) {
                return true;
            }
        }
        return false;
    }

    /** All that wait, or those of the first part that has some where the gang runs already. */
    private List<Member> needed(Gang gang) {
        List<Member> all = new ArrayList<>();
        for (SubGang part : gang.parts().inOrder()) {
            part.members().stream()
                    .filter(member -> member.waits() && !member.spec.bestEffort())
                    .forEach(all::add);
            if (!all.isEmpty() && session.votes.isReady(gang)) {
                return all;
            }
        }
        return all;
    }

    private List<HyperNode> domains(Gang gang) {
        SubGang whole = gang.parts().whole();
        HyperNode top = session.network().top();
        List<HyperNode> domains = new ArrayList<>();
        if (whole.highestTier(session.network()) < 0) {
            domains.add(top);
        } else {
            session.votes.rows(whole, top, Plugin.Purpose.EVICT).forEach(domains::addAll);
        }
        return domains.size() > maxDomains ? domains.subList(0, maxDomains) : domains;
    }

    private boolean makeRoomIn(HyperNode domain, Queue queue, Gang gang, List<Member> needed) {
        Amounts need = gang.parts().whole().least();
        List<Bundle> bundles = bundles(domain, gang, needed.getFirst(), need);
        List<Decision> evictions = new Clearance(session, queue, gang, domain, rules.action).make(bundles);
        decisions.addAll(evictions);
        return !evictions.isEmpty();
    }

    /** Who might go, in the order in which they would. */
    private List<Bundle> bundles(HyperNode domain, Gang gang, Member by, Amounts need) {
        Map<Gang, Set<Member>> candidates = new LinkedHashMap<>();
        domain.slots().stream().forEach(slot -> {
            for (Member member : session.members(slot)) {
                if (isCandidate(gang, member)) {
                    candidates
                            .computeIfAbsent(member.gang, _ -> new LinkedHashSet<>())
                            .add(member);
                }
            }
        });
        List<Bundle> bundles = new ArrayList<>();
        candidates.forEach((victim, local) -> {
            Set<Member> all = new LinkedHashSet<>(local);
            victim.members().stream()
                    .filter(member -> isCandidate(gang, member))
                    .forEach(all::add);
            for (Bundle bundle : Bundle.of(victim, all, allowWhole)) {
                boolean helps = bundle.members().stream().anyMatch(local::contains);
                if (helps) {
                    bundles.add(bundle);
                }
            }
        });
        Comparator<Bundle> order = order(need, domain);
        bundles.sort(order);
        List<Member> asked = new ArrayList<>();
        bundles.forEach(bundle -> asked.addAll(bundle.members()));
        // Of those in no bundle here it only matters where their gang goes whole.
        Set<Member> named = new HashSet<>(asked);
        bundles.forEach(bundle -> bundle.rest().stream().filter(named::add).forEach(asked::add));
        Set<Member> allowed = new HashSet<>(session.votes.evictable(by, rules.reclaim, asked));
        bundles.removeIf(bundle -> !allowed.containsAll(bundle.members()) || !allowed.containsAll(bundle.rest()));
        return bundles;
    }

    private boolean isCandidate(Gang gang, Member member) {
        return member.gang != gang && member.spec.preemptable() && rules.candidates.test(gang, member);
    }

    private Comparator<Bundle> order(Amounts need, HyperNode domain) {
        Comparator<Gang> gangs = session.votes.gangOrder();
        Comparator<Queue> queues = session.votes.queueOrder();
        return Comparator.comparing((Bundle bundle) -> !bundle.safe())
                .thenComparing(Bundle::gang, (one, other) -> {
                    Queue its = one.queue;
                    Queue others = other.queue;
                    boolean apart = its != null && others != null && its != others;
                    return apart ? queues.compare(others, its) : gangs.compare(other, one);
                })
                .thenComparing(Comparator.comparingDouble((Bundle bundle) -> bundle.worth(need, domain))
                        .reversed())
                .thenComparing(bundle -> bundle.members().getFirst().uid());
    }
}
