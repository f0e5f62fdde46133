package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Amounts;
import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;

import org.jspecify.annotations.Nullable;

/** Dominant resource fairness: the gang comes first that has least of what it has most of. */
final class DrfPlugin implements Plugin, Plugin.GangOrder, Plugin.Victims {
    private static final double SAME = 1e-6;

    private Amounts total = Amounts.none();

    @Override
    public void open(Session session) {
        total = session.total();
    }

    private double share(Amounts allocated) {
        return allocated.shareOf(total);
    }

    @Override
    public int compareGangs(Gang one, Gang other) {
        return Double.compare(share(one.claimed()), share(other.claimed()));
    }

    @Override
    public @Nullable List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return null;
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        double wanted = share(by.gang().claimed().copy().add(by.request()));
        Map<Gang, Amounts> left = new HashMap<>();
        List<Member> victims = new ArrayList<>();
        for (Member each : candidates) {
            Amounts had =
                    left.computeIfAbsent(each.gang(), gang -> gang.claimed().copy());
            double remaining = share(had.copy().subtract(each.request()));
            if (wanted < remaining || Math.abs(wanted - remaining) <= SAME) {
                had.subtract(each.request());
                victims.add(each);
            }
        }
        return victims;
    }
}
