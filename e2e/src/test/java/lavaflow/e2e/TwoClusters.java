package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Two real kube-apiservers, one with upstream's controllers and one with ours, on which the same is done; what is there in the end
 * is compared field by field. They are named by {@code -Dtheirs.kubeconfig} and {@code -Dours.kubeconfig}.
 */
final class TwoClusters implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(2);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Surrounding> surroundings = new ArrayList<>();
    private final Semaphore places;
    private final Scope scope;
    private final Path report;
    private final RemoteKubeApi theirs;
    private final RemoteKubeApi ours;

    /**
     * Connects to both.
     *
     * @param report where both end states are written to
     * @param atOnce how many scenarios are done side by side, on either
     */
    TwoClusters(Scope scope, Path report, int atOnce, String starter) throws IOException {
        String theirFile = System.getProperty("theirs.kubeconfig", "");
        String ourFile = System.getProperty("ours.kubeconfig", "");
        assumeTrue(!theirFile.isEmpty() && !ourFile.isEmpty(), "run " + starter + ", which starts the servers");
        this.scope = scope;
        this.report = report;
        this.places = new Semaphore(atOnce);
        Files.createDirectories(report);
        theirs = new RemoteKubeApi(Settings.of(Path.of(theirFile), "scenarios/0"));
        ours = new RemoteKubeApi(Settings.of(Path.of(ourFile), "scenarios/0"));
    }

    List<RemoteKubeApi> both() {
        return List.of(theirs, ours);
    }

    /** What clusters need around them. */
    interface Surrounding extends AutoCloseable {
        @Override
        void close();
    }

    /** What both have around them; it ends with this. */
    void surround(Surrounding each) {
        surroundings.add(each);
    }

    /** A test for each scenario in whose topic or name an expression is found. */
    Stream<DynamicNode> compare(Path scenarios, String only) throws IOException {
        Map<String, List<DynamicNode>> topics = new LinkedHashMap<>();
        int number = 0;
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        Pattern wanted = Pattern.compile(only);
        for (ControllerScenario scenario : ControllerScenario.readAll(scenarios)) {
            String namespace = "s" + number++ + "-" + run;
            if (wanted.matcher(scenario.toString()).find()) {
                CompletableFuture<Ended> there = begin("theirs", theirs, scenario, namespace);
                CompletableFuture<Ended> here = begin("ours", ours, scenario, namespace);
                CompletableFuture<Ends> ends = there.thenCombineAsync(here, Ends::lookUntilAlike, threads)
                        .whenComplete((found, trouble) -> write(scenario, found, trouble));
                topics.computeIfAbsent(scenario.topic(), absent -> new ArrayList<>())
                        .add(dynamicTest(scenario.name(), () -> judge(ends.join())));
            }
        }
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    private CompletableFuture<Ended> begin(
            String side, RemoteKubeApi api, ControllerScenario scenario, String namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    places.acquireUninterruptibly();
                    ScenarioRun run = new ScenarioRun(api, namespace, scope);
                    try {
                        run.awaitAccount();
                        for (ObjectNode step : scenario.steps()) {
                            run.perform(step);
                        }
                        return new Ended(run, () -> EndState.of(api, namespace, scope, scenario));
                    } catch (InterruptedException e) {
                        run.close();
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(e);
                    } catch (RuntimeException | AssertionError e) {
                        run.close();
                        throw new AssertionError(
                                side + ": " + e.getMessage() + "; there is\n"
                                        + EndState.of(api, namespace, scope, scenario)
                                                .toPrettyString(),
                                e);
                    } finally {
                        places.release();
                    }
                },
                threads);
    }

    /** A scenario whose steps are done; its nodes are still played. */
    private record Ended(ScenarioRun run, Supplier<ObjectNode> state) {}

    /** What there is on both sides in the end. */
    private record Ends(ObjectNode theirs, ObjectNode ours) {
        /** A busy machine may keep a controller from its work for longer than anybody waits for it to be done: who is late gets time. */
        static Ends lookUntilAlike(Ended there, Ended here) {
            try (ScenarioRun _ = there.run();
                    ScenarioRun _ = here.run()) {
                Instant deadline = Instant.now().plus(PATIENCE);
                while (true) {
                    Ends ends = new Ends(there.state().get(), here.state().get());
                    if (ends.differences().isEmpty() || Instant.now().isAfter(deadline)) {
                        return ends;
                    }
                    Thread.sleep(LOOK);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        List<Differences.Difference> differences() {
            return Differences.between(ours, theirs);
        }

        /** One difference after the other; empty where there is none. */
        String told() {
            return differences().stream().map(each -> "\n  " + each).collect(Collectors.joining());
        }
    }

    /** As soon as it is known: whoever waits for many may look at the first. */
    private void write(ControllerScenario scenario, @Nullable Ends ends, @Nullable Throwable trouble) {
        Path file = report.resolve(scenario.toString().replaceAll("[^a-zA-Z0-9]+", "-") + ".txt");
        try {
            if (ends == null) {
                Files.writeString(file, String.valueOf(trouble));
            } else {
                Files.writeString(file, ends.told());
                Files.writeString(Path.of(file + ".ours.json"), Json.pretty(ends.ours()));
                Files.writeString(Path.of(file + ".theirs.json"), Json.pretty(ends.theirs()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void judge(Ends ends) {
        if (!ends.told().isEmpty()) {
            fail(ends.told());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        surroundings.forEach(Surrounding::close);
        both().forEach(RemoteKubeApi::close);
    }
}
