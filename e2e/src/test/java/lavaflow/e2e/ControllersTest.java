package lavaflow.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
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
                CompletableFuture<ObjectNode> there = begin(theirs, scenario, namespace);
                CompletableFuture<ObjectNode> here = begin(ours, scenario, namespace);
                topics.computeIfAbsent(scenario.topic(), absent -> new ArrayList<>())
                        .add(dynamicTest(scenario.name(), () -> judge(scenario, here.join(), there.join())));
            }
        }
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    private static CompletableFuture<ObjectNode> begin(
            RemoteKubeApi api, ControllerScenario scenario, String namespace) {
        return CompletableFuture.supplyAsync(
                () -> {
                    PLACES.acquireUninterruptibly();
                    try (ScenarioRun run = new ScenarioRun(api, namespace)) {
                        run.awaitAccount();
                        for (ObjectNode step : scenario.steps()) {
                            run.perform(step);
                        }
                        return EndState.of(api, namespace, scenario);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(e);
                    } finally {
                        PLACES.release();
                    }
                },
                THREADS);
    }

    private static void judge(ControllerScenario scenario, ObjectNode here, ObjectNode there) throws IOException {
        String file = scenario.toString().replaceAll("[^a-zA-Z0-9]+", "-");
        Files.writeString(REPORT.resolve(file + ".ours.json"), Json.pretty(here));
        Files.writeString(REPORT.resolve(file + ".theirs.json"), Json.pretty(there));
        List<Differences.Difference> differences = Differences.between(here, there);
        if (!differences.isEmpty()) {
            fail(differences.stream().map(Object::toString).collect(Collectors.joining("\n  ", "\n  ", "\n")));
        }
    }
}
