package lavaflow.training;

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

/**
 * Starts and stops the controller of training jobs. It sees through followers of somebody else's, who starts those after this was made
 * and before it {@link #start}s.
 */
public final class TrainingControllers implements AutoCloseable {
    public static final SortedSet<String> NAMES =
            Collections.unmodifiableSortedSet(new TreeSet<>(Set.of("training-operator")));

    /** So many pods and services are made at the same time. */
    public static final int WIDTH = 64;

    private final JobNews news;
    private final List<ControllerRunner<?>> runners;

    /** @param wanted which of the {@link #NAMES} to run */
    public TrainingControllers(
            KubeApi api, Followers followers, Predicate<String> wanted, Settings settings, Timing timing) {
        this.news = new JobNews(api, timing.clock());
        this.runners = wanted.test("training-operator")
                ? List.of(new TrainingJobs(api, followers, settings, timing, news).controller())
                : List.of();
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    public List<ControllerRunner<?>> runners() {
        return runners;
    }

    /** The jobs that came, went and ended, in Prometheus' text format. */
    public String metrics() {
        return news.metrics();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
