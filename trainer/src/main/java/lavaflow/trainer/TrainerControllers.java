package lavaflow.trainer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;
import lavaflow.training.Gang;

/**
 * Starts and stops the controllers of TrainJobs and JobSets. They see through followers of somebody else's, who starts those after this was
 * made and before it {@link #start}s.
 */
public final class TrainerControllers implements AutoCloseable {
    public static final SortedSet<String> NAMES =
            Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(TrainJobs.NAME, JobSets.NAME)));

    /** So many Jobs are made at the same time. */
    public static final int WIDTH = 16;

    private final List<ControllerRunner<?>> runners = new ArrayList<>();

    /**
     * @param wanted which of the {@link #NAMES} to run
     * @param gang what the pods of a job are where its runtime does not say it
     */
    public TrainerControllers(KubeApi api, Followers followers, Predicate<String> wanted, Gang gang, Timing timing) {
        if (wanted.test(TrainJobs.NAME)) {
            runners.add(new TrainJobs(api, followers, gang, timing).controller());
        }
        if (wanted.test(JobSets.NAME)) {
            runners.add(new JobSets(api, followers, timing).controller());
        }
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    public List<ControllerRunner<?>> runners() {
        return Collections.unmodifiableList(runners);
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
