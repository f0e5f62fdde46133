package lavaflow.flows;

import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;

import org.jspecify.annotations.Nullable;

/**
 * Starts and stops the controllers of this module. They see through followers of somebody else's, who starts those after
 * these were made and before they {@link #start}.
 */
public final class FlowControllers implements AutoCloseable {
    /** By upstream's names, but for the one that a controller of Kubernetes has, too. */
    public static final SortedSet<String> NAMES =
            Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(JobFlows.NAME, JobTemplates.NAME, CronJobs.NAME)));

    private final List<ControllerRunner<?>> runners = new ArrayList<>();
    private final @Nullable JobFlows flows;

    /**
     * Makes them.
     *
     * @param wanted which of the {@link #NAMES} to run
     */
    public FlowControllers(
            KubeApi api,
            Followers followers,
            Predicate<String> wanted,
            Probes probes,
            InstantSource clock,
            LongSupplier nanoTime) {
        flows = wanted.test(JobFlows.NAME) ? new JobFlows(api, followers, probes, clock, nanoTime) : null;
        if (flows != null) {
            runners.add(flows.controller());
        }
        if (wanted.test(JobTemplates.NAME)) {
            runners.add(new JobTemplates(api, followers, nanoTime).controller());
        }
        if (wanted.test(CronJobs.NAME)) {
            runners.add(new CronJobs(api, followers, clock, ZoneId.systemDefault(), nanoTime).controller());
        }
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    public List<ControllerRunner<?>> runners() {
        return runners;
    }

    /** What upstream's controllers tell Prometheus, in its text format. */
    public String metrics() {
        return flows == null ? "" : flows.metrics();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
