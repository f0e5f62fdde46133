package lavaflow.batch;

import java.time.InstantSource;
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
public final class BatchControllers implements AutoCloseable {
    /** By upstream's names. */
    public static final SortedSet<String> NAMES = Collections.unmodifiableSortedSet(
            new TreeSet<>(Set.of("pg-controller", "queue-controller", "hyperNode-controller")));

    private final List<ControllerRunner<?>> runners = new ArrayList<>();
    private final @Nullable Queues queues;

    /**
     * Controllers of a cluster.
     *
     * @param wanted which of the {@link #NAMES} to run
     * @param schedulers under which names pods ask for the scheduler of gangs
     */
    public BatchControllers(
            KubeApi api,
            Followers followers,
            Predicate<String> wanted,
            Set<String> schedulers,
            InstantSource clock,
            LongSupplier nanoTime) {
        queues = wanted.test("queue-controller") ? new Queues(api, followers, clock, nanoTime) : null;
        if (queues != null) {
            runners.add(queues.controller());
        }
        if (wanted.test("pg-controller")) {
            runners.add(new PodGroups(api, followers, schedulers, clock, nanoTime).controller());
        }
        if (wanted.test("hyperNode-controller")) {
            runners.add(new HyperNodeCounts(api, followers, nanoTime).controller());
        }
    }

    public void start() {
        runners.forEach(ControllerRunner::start);
    }

    public List<ControllerRunner<?>> runners() {
        return Collections.unmodifiableList(runners);
    }

    /** The PodGroups of the cluster in Prometheus' text format. */
    public String metrics() {
        return queues == null ? "" : queues.metrics();
    }

    /** Ends everything; when it returns the API is not used any more. */
    @Override
    public void close() {
        runners.forEach(ControllerRunner::close);
    }
}
