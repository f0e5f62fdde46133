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
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;
import lavaflow.remote.Settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Gives the same training jobs to Kubeflow's operators, the training one and MPI's, and to {@code lava controllers}, each on a kube-apiserver of its own, does the
 * same to their pods, and compares field by field what there is at every moment a scenario names.
 *
 * <p>{@code e2e/training/compare} starts the servers and says by {@code -Dtraining.run} where they are; {@code -Dtraining.only=PATTERN} picks
 * scenarios. Both sides at every moment are in {@code target/training}.
 */
@Tag("training")
final class TrainingTest {
    private static final Path REPORT = Path.of("target/training");
    private static final int AT_ONCE = Integer.getInteger("training.width", 6);
    /** Numbers in statuses are written once a second here, and machines are busy. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("training.patience", 40));
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();
    private static final Semaphore PLACES = new Semaphore(AT_ONCE);
    private static final Path SIDES =
            Servers.repository().resolve("e2e/training/sides").toAbsolutePath();
    private static volatile RemoteKubeApi ours;
    private static volatile RemoteKubeApi theirs;
    private static Map<String, List<Pattern>> departures = Map.of();

    @BeforeAll
    static void connect() throws Exception {
        String run = System.getProperty("training.run", "");
        assumeTrue(!run.isEmpty(), "run e2e/training/compare, which starts the servers");
        departures = TrainingScenario.departures(
                YamlTree.parse(Files.readString(Path.of("src/test/resources/training/departures.yml"))));
        Files.createDirectories(REPORT);
    }

    @AfterAll
    static void disconnect() {
        THREADS.shutdownNow();
        part();
    }

    /** Which kinds there are is another question with every setting, and asked once. */
    private static void meet() throws IOException {
        part();
        String run = System.getProperty("training.run", "");
        theirs = new RemoteKubeApi(Settings.of(Path.of(run, "theirs/kubeconfig"), "scenarios/0"));
        ours = new RemoteKubeApi(Settings.of(Path.of(run, "ours/kubeconfig"), "scenarios/0"));
    }

    private static void part() {
        Stream.of(ours, theirs).filter(api -> api != null).forEach(RemoteKubeApi::close);
    }

    @TestFactory
    Stream<DynamicNode> doesWhatUpstreamDoes() throws IOException {
        String only = System.getProperty("training.only", ".*");
        Map<String, List<DynamicNode>> topics = new LinkedHashMap<>();
        Map<Setting, List<Story>> settings = new LinkedHashMap<>();
        String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        int number = 0;
        for (TrainingScenario scenario : TrainingScenario.readAll()) {
            Story story = new Story(scenario, "s" + number++ + "-" + run, new CompletableFuture<>());
            if (scenario.toString().matches(only)) {
                settings.computeIfAbsent(new Setting(scenario.gang(), scenario.operator()), _ -> new ArrayList<>())
                        .add(story);
                topics.computeIfAbsent(scenario.topic(), _ -> new ArrayList<>())
                        .add(dynamicTest(scenario.name(), () -> story.judge()));
            }
        }
        THREADS.execute(() -> settings.forEach(TrainingTest::happen));
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    /** Operators know one scheduler of gangs at a time, and upstream's are two programs. */
    private record Setting(String gang, String operator) {}

    private static void happen(Setting setting, List<Story> stories) {
        try {
            sides("up", setting.gang(), setting.operator());
            meet();
            stories.forEach(story -> THREADS.execute(story::happen));
            CompletableFuture.allOf(stories.stream().map(Story::end).toArray(CompletableFuture[]::new))
                    .exceptionally(_ -> null)
                    .join();
        } catch (IOException | InterruptedException | AssertionError e) {
            stories.forEach(story -> story.end().completeExceptionally(e));
        } finally {
            try {
                sides("down");
            } catch (IOException | InterruptedException e) {
                stories.forEach(story -> story.end().completeExceptionally(e));
            }
        }
    }

    private static void sides(String... what) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(SIDES.toString()));
        command.addAll(List.of(what));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(REPORT.resolve("sides-" + String.join("-", what) + ".log")
                        .toFile());
        builder.environment().put("TRAINING_RUN", System.getProperty("training.run"));
        Process process = builder.start();
        String words = "sides " + String.join(" ", what);
        assertEquals(true, process.waitFor(10, TimeUnit.MINUTES), words + " ends");
        assertEquals(0, process.exitValue(), words + ", see " + REPORT);
    }

    /** A scenario, where it happens, and what was not alike. */
    private record Story(TrainingScenario scenario, String namespace, CompletableFuture<List<String>> end) {
        void happen() {
            PLACES.acquireUninterruptibly();
            List<String> complaints = new ArrayList<>();
            TrainingSide there = new TrainingSide("theirs", theirs, namespace, scenario.operator());
            TrainingSide here = new TrainingSide("ours", ours, namespace, scenario.operator());
            try {
                there.begin();
                here.begin();
                for (ObjectNode step : scenario.steps()) {
                    if (step.has("look")) {
                        // Who differs once will differ further on.
                        Duration patience = complaints.isEmpty() ? PATIENCE : QUIET.multipliedBy(2);
                        complaints.addAll(look(Json.textAt(step, "look"), patience, there, here));
                    } else {
                        there.perform(step);
                        here.perform(step);
                    }
                }
                there.endJobs();
                here.endJobs();
                end.complete(complaints);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                end.completeExceptionally(e);
            } catch (RuntimeException | AssertionError e) {
                complaints.add(String.valueOf(e));
                end.complete(complaints);
            } finally {
                PLACES.release();
            }
        }

        /** Waits until both have come to rest, and for whoever is late. */
        private List<String> look(String moment, Duration patience, TrainingSide there, TrainingSide here)
                throws InterruptedException {
            Instant deadline = Instant.now().plus(patience);
            List<ObjectNode> before = List.of();
            Instant since = Instant.now();
            while (true) {
                List<ObjectNode> now = List.of(there.glance(), here.glance());
                if (!now.equals(before)) {
                    before = now;
                    since = Instant.now();
                }
                boolean late = Instant.now().isAfter(deadline);
                if (late || Duration.between(since, Instant.now()).compareTo(QUIET) >= 0) {
                    ObjectNode theirState = there.state();
                    ObjectNode ourState = here.state();
                    List<String> complaints = unexplained(moment, ourState, theirState);
                    if (complaints.isEmpty() || late) {
                        keep(moment, ourState, theirState, complaints);
                        return complaints;
                    }
                }
                Thread.sleep(LOOK);
            }
        }

        private List<String> unexplained(String moment, JsonNode ours, JsonNode theirs) {
            List<String> complaints = new ArrayList<>();
            for (Differences.Difference difference : Differences.between(ours, theirs)) {
                String place = moment + ": " + difference.path();
                if (Stream.of(departures, scenario.departures())
                        .flatMap(all -> all.values().stream().flatMap(List::stream))
                        .noneMatch(pattern -> pattern.matcher(place).find())) {
                    complaints.add(moment + ": " + difference);
                }
            }
            return complaints;
        }

        private void keep(String moment, ObjectNode ours, ObjectNode theirs, List<String> complaints) {
            String file = (scenario + " " + moment).replaceAll("[^a-zA-Z0-9]+", "-");
            try {
                Files.writeString(REPORT.resolve(file + ".ours.json"), Json.pretty(ours));
                Files.writeString(REPORT.resolve(file + ".theirs.json"), Json.pretty(theirs));
                if (!complaints.isEmpty()) {
                    Files.write(REPORT.resolve(file + ".differs.txt"), complaints);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void judge() {
            List<String> complaints = new ArrayList<>(end.join());
            Stream.of(departures, scenario.departures())
                    .flatMap(all -> all.keySet().stream())
                    .filter(key -> !Waivers.documented(key))
                    .forEach(key -> complaints.add("docs/compatibility.md does not explain " + key));
            if (!complaints.isEmpty()) {
                fail("\n  " + String.join("\n  ", complaints) + "\n");
            }
        }
    }
}
