package lavaflow.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a Job when it is decided about.
 *
 * @param pods all it has, by place
 * @param group null if there is none
 * @param happenings what happened to it and is not dealt with yet
 * @param announced what was told of reasons to act, by their names
 * @param asked what a Command says, or what follows from failing too often; null for nothing
 * @param prepared whether what belongs to it has been made since it last changed
 * @param priorities the value of a priority class by its name
 * @param firstSeen since when something has been known by its name
 */
record Observed(
        VolcanoJob job,
        List<JobPod> pods,
        @Nullable JobGroup group,
        List<Happening> happenings,
        Set<String> announced,
        @Nullable JobAction asked,
        boolean prepared,
        ToLongFunction<String> priorities,
        Function<String, Instant> firstSeen) {}
