package lavaflow.e2e;

import java.io.IOException;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Does the same on two real kube-apiservers, one with upstream's kube-controller-manager and one with {@code lava
 * controllers}, and compares field by field what is there in the end.
 *
 * <p>{@code e2e/controllers} starts everything and names the two by {@code -Dtheirs.kubeconfig} and {@code
 * -Dours.kubeconfig}; {@code -Dcontrollers.only=TEXT} picks scenarios. Both end states are in {@code target/controllers}.
 */
@Tag("controllers")
final class ControllersTest {
    private static final Path SCENARIOS = Path.of("src/test/resources/controllers");
    private static final Path REPORT = Path.of("target/controllers");
    private static final int AT_ONCE = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofSeconds(2);

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final Semaphore PLACES = new Semaphore(AT_ONCE);
    private static final List<AutoCloseable> SURROUNDINGS = new ArrayList<>();
    private static RemoteKubeApi ours;
    private static RemoteKubeApi theirs;

    @BeforeAll
    static void connect() throws Exception {
        String theirFile = System.getProperty("theirs.kubeconfig", "");
        String ourFile = System.getProperty("ours.kubeconfig", "");
        assumeTrue(!theirFile.isEmpty() && !ourFile.isEmpty(), "run e2e/controllers, which starts the servers");
        theirs = new RemoteKubeApi(Settings.of(Path.of(theirFile), "scenarios/0"));
        ours = new RemoteKubeApi(Settings.of(Path.of(ourFile), "scenarios/0"));
        for (RemoteKubeApi api : List.of(theirs, ours)) {
            SURROUNDINGS.add(new PlayedNode(api));
            SURROUNDINGS.add(new MetricsProgram(api));
        }
        Files.createDirectories(REPORT);
    }

    @AfterAll
    static void disconnect() throws Exception {
        THREADS.shutdownNow();
        for (AutoCloseable each : SURROUNDINGS) {
            each.close();
        }
        Stream.of(ours, theirs).filter(api -> api != null).forEach(RemoteKubeApi::close);
    }

    @TestFactory
    Stream<DynamicNode> endsLikeUpstreams() throws IOException {
        String only = System.getProperty("controllers.only", "");
        Map<String, List<DynamicNode>> topics = new LinkedHashMap<>();
        int number = 0;
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        for (ControllerScenario scenario : ControllerScenario.readAll(SCENARIOS)) {
            String namespace = "s" + number++ + "-" + run;
            if (scenario.toString().contains(only)) {
                CompletableFuture<Ended> there = begin(theirs, scenario, namespace);
                CompletableFuture<Ended> here = begin(ours, scenario, namespace);
                CompletableFuture<Ends> ends = there.thenCombineAsync(here, Ends::lookUntilAlike, THREADS);
                topics.computeIfAbsent(scenario.topic(), absent -> new ArrayList<>())
                        .add(dynamicTest(scenario.name(), () -> judge(scenario, ends.join())));
            }
        }
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    private static CompletableFuture<Ended> begin(RemoteKubeApi api, ControllerScenario scenario, String namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    PLACES.acquireUninterruptibly();
                    ScenarioRun run = new ScenarioRun(api, namespace);
                    try {
                        run.awaitAccount();
                        for (ObjectNode step : scenario.steps()) {
                            run.perform(step);
                        }
                        return new Ended(run, () -> EndState.of(api, namespace, scenario));
                    } catch (InterruptedException e) {
                        run.close();
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(e);
                    } catch (RuntimeException | AssertionError e) {
                        run.close();
                        throw e;
                    } finally {
                        PLACES.release();
                    }
                },
                THREADS);
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
    }

    private static void judge(ControllerScenario scenario, Ends ends) throws IOException {
        String file = scenario.toString().replaceAll("[^a-zA-Z0-9]+", "-");
        Files.writeString(REPORT.resolve(file + ".ours.json"), Json.pretty(ends.ours()));
        Files.writeString(REPORT.resolve(file + ".theirs.json"), Json.pretty(ends.theirs()));
        List<Differences.Difference> differences = ends.differences();
        if (!differences.isEmpty()) {
            fail(differences.stream().map(Object::toString).collect(Collectors.joining("\n  ", "\n  ", "\n")));
        }
    }
}
