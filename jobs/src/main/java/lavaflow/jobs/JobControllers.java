package lavaflow.jobs;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Timing;

import org.jspecify.annotations.Nullable;

/**
 * Starts and stops the controller of Jobs. It sees through followers of somebody else's, who starts those after this was made
 * and before it {@link #start}s.
 */
public final class JobControllers implements AutoCloseable {
    /** Not by upstream's name, which the one of Kubernetes' own Jobs has; it does the work of upstream's gc-controller, too. */
    public static final SortedSet<String> NAMES =
            Collections.unmodifiableSortedSet(new TreeSet<>(Set.of("vcjob-controller")));

    /** How many pods of a Job are made at once. */
    public static final int WIDTH = 64;

    private final List<ControllerRunner<?>> runners;
    private final @Nullable Jobs jobs;

    /** @param wanted which of the {@link #NAMES} to run */
    public JobControllers(KubeApi api, Followers followers, Predicate<String> wanted, Timing timing) {
        this(api, followers, wanted, timing, new RsaKeys());
    }

    /**
     * @param wanted which of the {@link #NAMES} to run
     * @param keys makes keys for plugins that need some
     */
    JobControllers(
            KubeApi api,
            Followers followers,
            Predicate<String> wanted,
            Timing timing,
            Supplier<JobPlugin.SshKeys> keys) {
        jobs = wanted.test("vcjob-controller") ? new Jobs(api, followers, timing, keys) : null;
        runners = jobs == null ? List.of() : List.of(jobs.controller());
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    public List<ControllerRunner<?>> runners() {
        return runners;
    }

    /** What upstream's controller tells Prometheus, in its text format. */
    public String metrics() {
        return jobs == null ? "" : jobs.metrics();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
