package lavaflow.plugins;

import lavaflow.gang.Amounts;
import lavaflow.gang.Arguments;
import lavaflow.gang.Gang;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;

/** Lets gangs in as long as there is about room for them, somewhat more than there is. */
final class OvercommitPlugin implements Plugin, Plugin.Entrance {
    private static final double USUAL = 1.2;

    private final double factor;
    private final Session session;
    private final int pods;
    /** What gangs were let in for and do not have yet. */
    private Amounts promised = Amounts.none();
    /** What is not used, and somewhat more. */
    private Amounts room = Amounts.none();

    OvercommitPlugin(Session session, Arguments arguments) {
        double wanted = arguments.number("overcommit-factor", USUAL);
        this.factor = wanted < 1 ? USUAL : wanted;
        this.session = session;
        this.pods = session.podsColumn();
    }

    @Override
    public void open(Session opened) {
        promised = Amounts.none();
        session.queues().forEach(queue -> promised.add(queue.inqueue()));
        room = Amounts.none().add(session.total(), factor).subtract(session.used());
    }

    @Override
    public Vote mayEnter(Gang gang, Refusals refusals) {
        if (gang.spec().minResources() == null) {
            return Vote.YES;
        }
        int beyond = promised.firstBeyondWith(gang.minResources(), room, pods);
        if (beyond < 0) {
            return Vote.YES;
        }
        refusals.refused(gang, "resource in cluster is overused: overused " + session.resource(beyond));
        return Vote.NO;
    }

    @Override
    public void entered(Gang gang) {
        promised.add(gang.minResources());
    }
}
