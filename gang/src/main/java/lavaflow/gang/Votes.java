package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** What plugins say of gangs and queues: how several answers become one. */
final class Votes {
    private final Seats seats;
    private final List<Plugin.GangOrder> gangOrders;
    private final List<Plugin.QueueOrder> queueOrders;
    private final List<Plugin.MemberOrder> memberOrders;
    private final List<Plugin.VictimOrder> victimOrders;
    private final List<Plugin.Validity> validities;
    private final List<Plugin.Readiness> readiness;
    private final List<List<Plugin.Readiness>> pipelining;
    private final List<List<Plugin.Starvation>> starvations;
    private final List<List<Plugin.Entrance>> entrances;
    private final List<Plugin.Overuse> overuses;
    private final List<Plugin.Allowance> allowances;
    private final List<List<Plugin.Victims>> preemptions;
    private final List<List<Plugin.Victims>> reclaims;
    private final List<List<Plugin.Shuffle>> shuffles;

    Votes(Seats seats) {
        this.seats = seats;
        gangOrders = seats.all(Plugin.GangOrder.class, Callback.JOB_ORDER);
        queueOrders = seats.all(Plugin.QueueOrder.class, Callback.QUEUE_ORDER);
        memberOrders = seats.all(Plugin.MemberOrder.class, Callback.TASK_ORDER);
        victimOrders = seats.all(Plugin.VictimOrder.class, null);
        validities = seats.all(Plugin.Validity.class, null);
        readiness = seats.all(Plugin.Readiness.class, Callback.JOB_READY);
        pipelining = seats.byTier(Plugin.Readiness.class, Callback.JOB_PIPELINED);
        starvations = seats.byTier(Plugin.Starvation.class, Callback.JOB_STARVING);
        entrances = seats.byTier(Plugin.Entrance.class, Callback.JOB_ENQUEUED);
        overuses = seats.all(Plugin.Overuse.class, Callback.OVERUSED);
        allowances = seats.all(Plugin.Allowance.class, Callback.ALLOCATABLE);
        preemptions = seats.byTier(Plugin.Victims.class, Callback.PREEMPTABLE);
        reclaims = seats.byTier(Plugin.Victims.class, Callback.RECLAIMABLE);
        shuffles = seats.byTier(Plugin.Shuffle.class, Callback.VICTIM);
    }

    // ---- who comes first ----

    private static <T, P> Comparator<T> order(List<P> plugins, Function<P, Comparator<T>> one, Comparator<T> last) {
        List<Comparator<T>> all = new ArrayList<>();
        plugins.forEach(plugin -> all.add(one.apply(plugin)));
        all.add(last);
        return (left, right) -> {
            int order = 0;
            for (int i = 0; i < all.size() && order == 0; i++) {
                order = all.get(i).compare(left, right);
            }
            return order;
        };
    }

    Comparator<Gang> gangOrder() {
        return order(gangOrders, plugin -> plugin::compareGangs, Gang::compareByAge);
    }

    Comparator<Queue> queueOrder() {
        return order(queueOrders, plugin -> plugin::compareQueues, Queue::compareByAge);
    }

    Comparator<Member> memberOrder() {
        return order(memberOrders, plugin -> plugin::compareMembers, Member::compareByAge);
    }

    /** Which queue has to give first to another: unless plugins know better the one that comes last. */
    Comparator<Queue> victimQueueOrder(Queue by) {
        Comparator<Queue> last = queueOrder().reversed();
        return order(victimOrders, plugin -> (one, other) -> plugin.compareVictims(one, other, by), last);
    }

    // ---- gangs ----

    Plugin.@Nullable Invalid invalid(Gang gang) {
        for (Plugin.Validity plugin : validities) {
            Plugin.Invalid invalid = plugin.invalid(gang);
            if (invalid != null) {
                return invalid;
            }
        }
        return null;
    }

    boolean isReady(Gang gang) {
        for (Plugin.Readiness plugin : readiness) {
            if (!plugin.isReady(gang)) {
                return false;
            }
        }
        return true;
    }

    /** How many more pods have to be placed at least until a gang can become ready. */
    int missing(Gang gang) {
        int most = 1;
        for (Plugin.Readiness plugin : readiness) {
            most = Math.max(most, plugin.missing(gang));
        }
        return most;
    }

    boolean isPipelined(Gang gang) {
        return vote(pipelining, plugin -> plugin.isPipelined(gang));
    }

    boolean isStarving(Gang gang) {
        for (List<Plugin.Starvation> tier : starvations) {
            if (!tier.isEmpty()) {
                return tier.stream().allMatch(plugin -> plugin.isStarving(gang));
            }
        }
        return false;
    }

    /**
     * Whether a gang may enter its queue.
     *
     * @param why takes the reasons of those who say no
     */
    boolean mayEnter(Gang gang, List<Waiting> why) {
        return vote(entrances, plugin -> {
            String name = seats.nameOf(plugin);
            return plugin.mayEnter(gang, (_, message) -> why.add(new Waiting.NotLetIn(name, message)));
        });
    }

    /** What each plugin says about a gang that wants to be let in. */
    List<Inquiry.Opinion> opinions(Gang gang) {
        List<Inquiry.Opinion> opinions = new ArrayList<>();
        for (List<Plugin.Entrance> tier : entrances) {
            for (Plugin.Entrance plugin : tier) {
                List<String> said = new ArrayList<>();
                Plugin.Vote vote = plugin.mayEnter(gang, (_, message) -> said.add(message));
                opinions.add(new Inquiry.Opinion(seats.nameOf(plugin), vote, String.join("; ", said)));
            }
        }
        return opinions;
    }

    /** The plugins that say who has to go, by tier. */
    List<List<Plugin.Victims>> victims(boolean reclaim) {
        return reclaim ? reclaims : preemptions;
    }

    void entered(Gang gang) {
        seats.all(Plugin.Entrance.class, Callback.JOB_ENQUEUED).forEach(plugin -> plugin.entered(gang));
    }

    /** One no is a no; a tier with a yes decides for those after it; if nobody cares it is a yes. */
    private static <P> boolean vote(List<List<P>> tiers, Function<P, Plugin.Vote> ask) {
        for (List<P> tier : tiers) {
            boolean yes = false;
            for (P plugin : tier) {
                Plugin.Vote vote = ask.apply(plugin);
                if (vote == Plugin.Vote.NO) {
                    return false;
                }
                yes |= vote == Plugin.Vote.YES;
            }
            if (yes) {
                return true;
            }
        }
        return true;
    }

    // ---- queues ----

    boolean isOverused(Queue queue) {
        return overuses.stream().anyMatch(plugin -> plugin.isOverused(queue));
    }

    /** What a queue should have, by the first plugin that knows; null if none does. */
    Plugin.@Nullable Share share(Queue queue) {
        for (Plugin.Shares plugin : seats.all(Plugin.Shares.class, null)) {
            Plugin.Share share = plugin.shareOf(queue);
            if (share != null) {
                return share;
            }
        }
        return null;
    }

    /** Whose limit is in the way of a queue, by the first plugin that knows; null if none is. */
    Plugin.@Nullable Limit limit(Queue queue, Amounts wanted, boolean entering) {
        Callback asked = entering ? Callback.JOB_ENQUEUED : Callback.ALLOCATABLE;
        for (Plugin.Limits plugin : seats.all(Plugin.Limits.class, asked)) {
            Plugin.Limit limit = plugin.inTheWay(queue, wanted, entering);
            if (limit != null) {
                return limit;
            }
        }
        return null;
    }

    /** A column that is beyond what a queue may have with one more pod; -1 if none is. */
    int beyond(Queue queue, Member member) {
        for (Plugin.Allowance plugin : allowances) {
            int column = plugin.beyond(queue, member);
            if (column >= 0) {
                return column;
            }
        }
        return -1;
    }

    /** How many pods like one a queue may have, at most so many as wanted. */
    int allowed(Queue queue, Member member, int wanted) {
        int least = wanted;
        for (Plugin.Allowance plugin : allowances) {
            least = least == 0 ? 0 : plugin.allowed(queue, member, least);
        }
        return least;
    }

    boolean mayReclaim(Queue queue, List<Member> members) {
        return seats.all(Plugin.Allowance.class, Callback.PREEMPTIVE).stream()
                .allMatch(plugin -> plugin.mayReclaim(queue, members));
    }

    // ---- victims ----

    List<Member> preemptable(Member by, List<Member> candidates) {
        return agreed(candidates, preemptions, (plugin, left) -> plugin.preemptable(by, left));
    }

    List<Member> reclaimable(Member by, List<Member> candidates) {
        return agreed(candidates, reclaims, (plugin, left) -> plugin.reclaimable(by, left));
    }

    /** Those that may have to go for a whole gang. */
    List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return agreed(
                candidates, reclaim ? reclaims : preemptions, (plugin, left) -> plugin.evictable(by, reclaim, left));
    }

    /**
     * Those that every plugin with an opinion agrees to. Nobody is a victim if no plugin has an opinion. Upstream asks no further tier
     * once one has an answer, so that a queue's share does not protect it.
     */
    private static List<Member> agreed(
            List<Member> candidates,
            List<List<Plugin.Victims>> tiers,
            BiFunction<Plugin.Victims, List<Member>, @Nullable List<Member>> ask) {
        List<Member> left = candidates;
        boolean asked = false;
        // Those that count victims count only those that nobody spares anyway.
        for (boolean counting : new boolean[] {false, true}) {
            for (List<Plugin.Victims> tier : tiers) {
                for (Plugin.Victims plugin : tier) {
                    List<Member> answer = plugin.countsVictims() == counting ? ask.apply(plugin, left) : null;
                    if (answer != null) {
                        asked = true;
                        Set<Member> named = new HashSet<>(answer);
                        left = left.stream().filter(named::contains).toList();
                    }
                }
            }
        }
        return asked ? left : List.of();
    }

    /** Who has to go although nobody needs the place: all that plugins of the first tier with an answer name. */
    List<Member> toShuffle(List<Member> running) {
        for (List<Plugin.Shuffle> tier : shuffles) {
            Set<Member> named = new LinkedHashSet<>();
            tier.forEach(plugin -> named.addAll(plugin.toShuffle(running)));
            if (!named.isEmpty()) {
                return mayShuffle(named);
            }
        }
        return List.of();
    }

    /** Those that no plugin keeps. */
    private List<Member> mayShuffle(Collection<Member> named) {
        List<Member> left = List.copyOf(named);
        for (List<Plugin.Shuffle> tier : shuffles) {
            for (Plugin.Shuffle plugin : tier) {
                left = plugin.mayShuffle(left);
            }
        }
        return left;
    }

    // ---- parts of the network ----

    /** The parts of the network to try, by row; all of it where no plugin knows better. */
    List<List<HyperNode>> rows(SubGang part, HyperNode within, Plugin.Purpose purpose) {
        List<Plugin.Domains> plugins = seats.all(Plugin.Domains.class, Callback.HYPER_NODE_GRADIENT);
        return plugins.isEmpty() ? List.of(List.of(within)) : plugins.getFirst().rows(part, within, purpose);
    }

    double[] domainScores(SubGang part, List<HyperNode> domains) {
        double[] sums = new double[domains.size()];
        for (Plugin.DomainScore plugin : seats.all(Plugin.DomainScore.class, Callback.HYPER_NODE_ORDER)) {
            double[] its = plugin.score(part, domains);
            for (int i = 0; i < sums.length; i++) {
                sums[i] += its[i];
            }
        }
        return sums;
    }
}
