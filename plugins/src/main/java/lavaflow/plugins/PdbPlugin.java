package lavaflow.plugins;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Session;
import lavaflow.gang.Stage;
import lavaflow.placement.DisruptionBudget;
import lavaflow.placement.PlacedPod;

/** Nobody has to go whom a PodDisruptionBudget keeps. Those that were told to go in this round count as gone. */
final class PdbPlugin implements Plugin, Plugin.Victims, Plugin.Shuffle, Plugin.Account {
    private final Session session;
    /** Told to go, which the API does not tell yet. */
    private final Set<Member> going = new LinkedHashSet<>();

    PdbPlugin(Session session) {
        this.session = session;
    }

    @Override
    public void open(Session opened) {
        going.removeIf(
                each -> !isGoing(each) || session.member(each.spec().pod().uid()) != each);
    }

    private static boolean isGoing(Member member) {
        return member.stage() == Stage.RELEASING && !member.spec().pod().deleting();
    }

    private static boolean covers(DisruptionBudget budget, Member member) {
        return budget.covers(new PlacedPod(member.spec().pod(), member.type()));
    }

    private List<Member> allowed(List<Member> candidates) {
        List<DisruptionBudget> budgets = session.budgets();
        long[] left = new long[budgets.size()];
        for (int i = 0; i < left.length; i++) {
            DisruptionBudget budget = budgets.get(i);
            left[i] = budget.allowed()
                    - going.stream()
                            .filter(each -> isGoing(each) && covers(budget, each))
                            .count();
        }
        List<Member> allowed = new ArrayList<>();
        for (Member each : candidates) {
            List<Integer> concerned = new ArrayList<>();
            for (int i = 0; i < left.length; i++) {
                if (covers(budgets.get(i), each)) {
                    concerned.add(i);
                }
            }
            if (concerned.stream().allMatch(i -> left[i] > 0)) {
                concerned.forEach(i -> left[i]--);
                allowed.add(each);
            }
        }
        return allowed;
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return allowed(candidates);
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        return allowed(candidates);
    }

    /** Wants nobody to go itself. */
    @Override
    public List<Member> toShuffle(List<Member> running) {
        return List.of();
    }

    @Override
    public List<Member> mayShuffle(List<Member> named) {
        return allowed(named);
    }

    @Override
    public void roomTaken(Member member) {
        going.remove(member);
    }

    @Override
    public void roomGiven(Member member) {
        if (member.stage().canBeEvicted() || member.stage() == Stage.RELEASING) {
            going.add(member);
        }
    }
}
