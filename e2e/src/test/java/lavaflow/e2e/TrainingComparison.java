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
import java.util.Locale;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Gives the same jobs to upstream's controllers and to {@code lava controllers}, each on a kube-apiserver of its own, does the same to their pods, and
 * compares field by field what there is at every moment a scenario names.
 *
 * <p>For the suite {@code training}, {@code e2e/training/compare} starts the servers and says by {@code -Dtraining.run} where they are;
 * {@code -Dtraining.only=PATTERN} picks scenarios, {@code e2e/training/sides} starts and stops controllers. Both sides at every moment are in
 * {@code target/training}.
 */
final class TrainingComparison implements AutoCloseable {
    /** Numbers in statuses are written once a second here, and machines are busy. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String suite;
    private final Path run;
    private final Path report;
    private final Path scenarios;
    private final Semaphore places;
    private final Duration patience;
    private final Map<String, List<Pattern>> departures;
    private volatile @Nullable RemoteKubeApi ours;
    private volatile @Nullable RemoteKubeApi theirs;

    /** @param suite the directory of its scenarios, and of what starts both sides */
    TrainingComparison(String suite) throws IOException {
        String where = System.getProperty(suite + ".run", "");
        assumeTrue(!where.isEmpty(), "run e2e/" + suite + "/compare, which starts the servers");
        this.suite = suite;
        this.run = Path.of(where);
        this.report = Files.createDirectories(Path.of("target", suite));
        this.scenarios = Path.of("src/test/resources", suite);
        this.places = new Semaphore(Integer.getInteger(suite + ".width", 6));
        this.patience = Duration.ofSeconds(Integer.getInteger(suite + ".patience", 40));
        this.departures =
                TrainingScenario.departures(YamlTree.parse(Files.readString(scenarios.resolve("departures.yml"))));
    }

    @Override
    public void close() {
        threads.shutdownNow();
        part();
    }

    /** Which kinds there are is another question with every setting, and asked once. */
    private void meet() throws IOException {
        part();
        theirs = new RemoteKubeApi(Settings.of(run.resolve("theirs/kubeconfig"), "scenarios/0"));
        ours = new RemoteKubeApi(Settings.of(run.resolve("ours/kubeconfig"), "scenarios/0"));
    }

    private void part() {
        Stream.of(ours, theirs).filter(api -> api != null).forEach(RemoteKubeApi::close);
    }

    /** A test for each scenario that is wanted. */
    Stream<DynamicNode> tests() throws IOException {
        String only = System.getProperty(suite + ".only", ".*");
        Map<String, List<DynamicNode>> topics = new LinkedHashMap<>();
        Map<Setting, List<Story>> settings = new LinkedHashMap<>();
        String number = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
        int count = 0;
        for (TrainingScenario scenario : TrainingScenario.readAll(scenarios, suite)) {
            Story story = new Story(scenario, "s" + count++ + "-" + number, new CompletableFuture<>());
            if (scenario.toString().matches(only)) {
                settings.computeIfAbsent(new Setting(scenario.gang(), scenario.operator()), _ -> new ArrayList<>())
                        .add(story);
                topics.computeIfAbsent(scenario.topic(), _ -> new ArrayList<>())
                        .add(dynamicTest(scenario.name(), () -> judge(story)));
            }
        }
        threads.execute(() -> settings.forEach(this::happen));
        return topics.entrySet().stream().map(topic -> dynamicContainer(topic.getKey(), topic.getValue()));
    }

    /** Operators know one scheduler of gangs at a time, and upstream's are several programs. */
    private record Setting(String gang, String operator) {}

    /** A scenario, where it happens, and what was not alike. */
    private record Story(TrainingScenario scenario, String namespace, CompletableFuture<List<String>> end) {}

    private void happen(Setting setting, List<Story> stories) {
        try {
            sides("up", setting.gang(), setting.operator());
            meet();
            stories.forEach(story -> threads.execute(() -> happen(story)));
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

    private void sides(String... what) throws IOException, InterruptedException {
        Path program = Servers.repository().resolve("e2e/" + suite + "/sides").toAbsolutePath();
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(what));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(report.resolve("sides-" + String.join("-", what) + ".log")
                        .toFile());
        builder.environment().put(suite.toUpperCase(Locale.ROOT) + "_RUN", run.toString());
        Process process = builder.start();
        String words = "sides " + String.join(" ", what);
        assertEquals(true, process.waitFor(10, TimeUnit.MINUTES), words + " ends");
        assertEquals(0, process.exitValue(), words + ", see " + report);
    }

    private void happen(Story story) {
        places.acquireUninterruptibly();
        List<String> complaints = new ArrayList<>();
        TrainingScenario scenario = story.scenario();
        TrainingSide there = new TrainingSide("theirs", requireNonNull(theirs), story.namespace(), scenario.operator());
        TrainingSide here = new TrainingSide("ours", requireNonNull(ours), story.namespace(), scenario.operator());
        try {
            there.begin();
            here.begin();
            for (ObjectNode step : scenario.steps()) {
                if (step.has("look")) {
                    // Who differs once will differ further on.
                    Duration wait = complaints.isEmpty() ? patience : QUIET.multipliedBy(2);
                    complaints.addAll(look(scenario, Json.textAt(step, "look"), wait, there, here));
                } else if (step.has("try")) {
                    complaints.addAll(attempt(scenario, step.deepCopy(), there, here));
                } else {
                    there.perform(step);
                    here.perform(step);
                }
            }
            there.endJobs();
            here.endJobs();
            story.end().complete(complaints);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            story.end().completeExceptionally(e);
        } catch (RuntimeException | AssertionError e) {
            complaints.add(String.valueOf(e));
            story.end().complete(complaints);
        } finally {
            places.release();
        }
    }

    private List<String> attempt(TrainingScenario scenario, ObjectNode step, TrainingSide there, TrainingSide here)
            throws InterruptedException {
        String title = step.remove("try").textValue();
        ObjectNode theirAnswer = there.attempt(step);
        ObjectNode ourAnswer = here.attempt(step);
        List<String> complaints = unexplained(scenario, title, ourAnswer, theirAnswer);
        keep(scenario + " " + title, ourAnswer, theirAnswer, complaints);
        return complaints;
    }

    /** Waits until both have come to rest, and for whoever is late. */
    private List<String> look(
            TrainingScenario scenario, String moment, Duration wait, TrainingSide there, TrainingSide here)
            throws InterruptedException {
        Instant deadline = Instant.now().plus(wait);
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
                List<String> complaints = unexplained(scenario, moment, ourState, theirState);
                if (complaints.isEmpty() || late) {
                    keep(scenario + " " + moment, ourState, theirState, complaints);
                    return complaints;
                }
            }
            Thread.sleep(LOOK);
        }
    }

    private List<String> unexplained(TrainingScenario scenario, String moment, JsonNode ours, JsonNode theirs) {
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

    private void keep(String title, ObjectNode ours, ObjectNode theirs, List<String> complaints) {
        String file = title.replaceAll("[^a-zA-Z0-9]+", "-");
        try {
            Files.writeString(report.resolve(file + ".ours.json"), Json.pretty(ours));
            Files.writeString(report.resolve(file + ".theirs.json"), Json.pretty(theirs));
            if (!complaints.isEmpty()) {
                Files.write(report.resolve(file + ".differs.txt"), complaints);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void judge(Story story) {
        List<String> complaints = new ArrayList<>(story.end().join());
        Stream.of(departures, story.scenario().departures())
                .flatMap(all -> all.keySet().stream())
                .filter(key -> !Waivers.documented(key))
                .forEach(key -> complaints.add("docs/compatibility.md does not explain " + key));
        if (!complaints.isEmpty()) {
            fail("\n  " + String.join("\n  ", complaints) + "\n");
        }
    }
}
