package lavaflow.plugins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.gang.Gang;
import lavaflow.gang.Member;
import lavaflow.gang.Plugin;

import org.jspecify.annotations.Nullable;

/** A gang is placed whole: as many of its pods as it must have, or none. */
final class GangPlugin
        implements Plugin, Plugin.Validity, Plugin.Readiness, Plugin.Starvation, Plugin.GangOrder, Plugin.Victims {
    @Override
    public @Nullable Invalid invalid(Gang gang) {
        if (!gang.areRolesValid() || !gang.areSubGroupsValid()) {
            return new Invalid("NotEnoughPodsOfTask", "Not enough valid pods of each task for gang-scheduling");
        }
        int valid = gang.tally().valid();
        int least = gang.spec().minMember();
        return gang.valid() >= least
                ? null
                : new Invalid(
                        "NotEnoughTasks",
                        "Not enough valid tasks for gang-scheduling, valid: " + valid + ", min: " + least);
    }

    @Override
    public boolean isReady(Gang gang) {
        return gang.areRolesReady() && gang.areSubGroupsReady() && gang.isReady();
    }

    @Override
    public int missing(Gang gang) {
        return gang.missing();
    }

    @Override
    public Vote isPipelined(Gang gang) {
        return gang.areRolesPipelined() && gang.areSubGroupsPipelined() && gang.isPipelined() ? Vote.YES : Vote.NO;
    }

    @Override
    public boolean isStarving(Gang gang) {
        return gang.isStarving();
    }

    /** Those that wait come before those that could only have more. */
    @Override
    public int compareGangs(Gang one, Gang other) {
        return Boolean.compare(isReady(one), isReady(other));
    }

    /** A gang may lose what it has beyond what it must have. */
    private static List<Member> spare(List<Member> candidates) {
        Map<Gang, Integer> left = new HashMap<>();
        List<Member> spare = new ArrayList<>();
        for (Member each : candidates) {
            int now = left.computeIfAbsent(each.gang(), gang -> gang.tally().certain());
            if (now > each.gang().spec().minMember()) {
                left.put(each.gang(), now - 1);
                spare.add(each);
            }
        }
        return spare;
    }

    @Override
    public boolean countsVictims() {
        return true;
    }

    @Override
    public List<Member> preemptable(Member by, List<Member> candidates) {
        return spare(candidates);
    }

    /** Whole gangs are taken as one, so that none is left half. */
    @Override
    public List<Member> evictable(Member by, boolean reclaim, List<Member> candidates) {
        return candidates;
    }

    @Override
    public List<Member> reclaimable(Member by, List<Member> candidates) {
        return spare(candidates);
    }
}
