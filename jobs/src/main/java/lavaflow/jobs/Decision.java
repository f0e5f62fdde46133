package lavaflow.jobs;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import lavaflow.controller.Plan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done for a Job now, in this order: {@link #first}, what belongs to it made or taken away, {@link #pods}, the
 * status, {@link #afterwards}.
 *
 * @param first what comes before everything else
 * @param belongings what becomes of the objects of its plugins and of its claims
 * @param pods those made and those ended
 * @param status as it is to be; null if it is so
 * @param afterwards what may only be done once the status is written
 * @param settled what happened and is dealt with once all this is done
 * @param announced what was told, now or before, of reasons to act that still hold
 * @param recheck when to look again although nothing changed; null if not
 */
record Decision(
        List<Notice> notices,
        Plan first,
        Belongings belongings,
        Plan pods,
        @Nullable ObjectNode status,
        Plan afterwards,
        List<Happening> settled,
        Set<String> announced,
        @Nullable Duration recheck) {
    /** What becomes of objects that go with the pods of a Job. */
    enum Belongings {
        LEAVE,
        /** They are made, or brought up to date. */
        MAKE,
        /** Those of plugins go. */
        DISCARD
    }

    /** What is told of a Job. */
    record Notice(boolean warning, String reason, String message) {}
}
