package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Amounts;
import lavaflow.gang.FairShares;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Queue;
import lavaflow.gang.Session;

import org.jspecify.annotations.Nullable;

/** Queues share the cluster by their weights, and lend what they do not need. */
final class ProportionPlugin
        implements Plugin,
                Plugin.QueueOrder,
                Plugin.Overuse,
                Plugin.Allowance,
                Plugin.Entrance,
                Plugin.Victims,
                Plugin.Limits,
                Plugin.Shares {
    private final Map<Queue, FairShares.Party> parties = new HashMap<>();
    private final int pods;
    private Session session;

    ProportionPlugin(Session session) {
        this.session = session;
        this.pods = session.podsColumn();
    }

    @Override
    public void open(Session opened) {
        session = opened;
        parties.clear();
        Amounts guaranteed = Amounts.none();
        session.queues().forEach(queue -> guaranteed.add(queue.guarantee()));
        Amounts lendable = session.total().copy().subtract(guaranteed).raise(Amounts.none());
        List<FairShares.Party> all = new ArrayList<>();
        for (Queue queue : session.queues()) {
            // Who is guaranteed something keeps it also while nobody asks for it.
            if (!queue.gangs().isEmpty() || !queue.guarantee().isEmpty()) {
                Amounts limit = lendable.copy().add(queue.guarantee()).cap(queue.capability());
                FairShares.Party party =
                        new FairShares.Party(queue.spec().weight(), limit, queue.request(), queue.guarantee());
                parties.put(queue, party);
                all.add(party);
            }
        }
        FairShares.settle(session.total(), all);
    }

    private Amounts deserved(Queue queue) {
        FairShares.Party party = parties.get(queue);
        return party == null ? Amounts.none() : party.deserved();
    }

    /** What it may have now. */
    private Amounts most(Queue queue) {
        FairShares.Party party = parties.get(queue);
        return party != null && session.isLending() ? party.limit() : deserved(queue);
    }

    @Override
    public @Nullable Share shareOf(Queue queue) {
        FairShares.Party party = parties.get(queue);
        return party == null
                ? null
                : new Share(
                        party.deserved(),
                        party.limit(),
                        party.deserved(),
                        queue.allocated().shareOf(party.deserved()));
    }

    @Override
    public int compareQueues(Queue one, Queue other) {
        int byPriority = Integer.compare(other.spec().priority(), one.spec().priority());
        return byPriority != 0
                ? byPriority
                : Double.compare(
                        one.claimed().shareOf(deserved(one)), other.claimed().shareOf(deserved(other)));
    }

    @Override
    public boolean isOverused(Queue queue) {
        return deserved(queue).within(queue.claimed());
    }

    @Override
    public int beyond(Queue queue, Member member) {
        return queue.spec().isOpen() ? queue.claimed().firstBeyondWith(member.request(), most(queue), pods) : CLOSED;
    }

    @Override
    public int allowed(Queue queue, Member member, int wanted) {
        return queue.spec().isOpen() ? queue.claimed().timesWithin(member.request(), most(queue), pods, wanted) : 0;
    }

    @Override
    public boolean mayReclaim(Queue queue, List<Member> members) {
        Amounts wanted = Amounts.none();
        members.forEach(member -> wanted.add(member.request()));
        return queue.spec().isOpen() && queue.claimed().firstBeyondWith(wanted, deserved(queue), pods) < 0;
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        Queue queue = gang.queue();
        FairShares.Party party = queue == null ? null : parties.get(queue);
        if (queue == null || party == null || !queue.spec().isOpen()) {
            return Vote.NO;
        }
        if (gang.spec().minResources() == null) {
            return Vote.YES;
        }
        int beyond = withInqueue(queue).firstBeyondWith(gang.minResources(), party.limit(), pods);
        if (beyond < 0) {
            return Vote.YES;
        }
        refusals.refused(gang, "queue resource quota insufficient: insufficient " + session.resource(beyond));
        return Vote.NO;
    }

    /** What a queue has and others were let in for, less what gangs have beyond that. */
    private static Amounts withInqueue(Queue queue) {
        return queue.allocated().copy().add(queue.inqueue()).subtract(queue.elastic());
    }

    @Override
    public @Nullable Limit inTheWay(Queue queue, Amounts wanted, boolean entering) {
        FairShares.Party party = parties.get(queue);
        Amounts has = entering ? withInqueue(queue) : queue.claimed();
        Amounts most = entering && party != null ? party.limit() : most(queue);
        int column = has.firstBeyondWith(wanted, most, pods);
        return column < 0 ? null : new Limit(queue.spec().name(), column, has.get(column), 0, most.get(column));
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        Map<Queue, Amounts> left = new HashMap<>();
        List<Member> victims = new ArrayList<>();
        for (Member each : candidates) {
            Queue queue = each.gang().queue();
            if (queue == null) {
                continue;
            }
            Amounts has = left.computeIfAbsent(queue, _ -> queue.claimed().copy());
            if (!has.within(deserved(queue))) {
                has.subtract(each.request());
                victims.add(each);
            }
        }
        return victims;
    }
}
