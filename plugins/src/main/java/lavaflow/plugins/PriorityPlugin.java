package lavaflow.plugins;

import java.util.List;

import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;
import lavaflow.gang.Stage;

/** What is more important comes first, and may take the place of what is less. */
final class PriorityPlugin implements Plugin, Plugin.GangOrder, Plugin.MemberOrder, Plugin.Starvation, Plugin.Victims {
    @Override
    public int compareGangs(Gang one, Gang other) {
        return Integer.compare(other.priority(), one.priority());
    }

    @Override
    public int compareMembers(Member one, Member other) {
        return Integer.compare(other.spec().priority(), one.spec().priority());
    }

    /** Also one that runs and could have more. */
    @Override
    public boolean isStarving(Gang gang) {
        return gang.tally().ready() + gang.tally().of(Stage.PIPELINED)
                < gang.members().size();
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return candidates.stream().filter(each -> isLess(each, by)).toList();
    }

    @Override
    public List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return candidates.stream()
                .filter(each -> reclaim || each.gang().priority() < by.gang().priority())
                .toList();
    }

    private static boolean isLess(Member victim, Member by) {
        return victim.gang() == by.gang()
                ? victim.spec().priority() < by.spec().priority()
                : victim.gang().priority() < by.gang().priority();
    }
}
