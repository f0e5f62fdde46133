package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.remote.RemoteKubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs made up from seeds, on a kube-apiserver with Volcano's controllers, scheduler and webhooks and on one with ours: after every step both have to come to the
 * same. What differs is tried once more, since upstream now and then gets in its own way.
 *
 * <p>{@code e2e/jobs/compare random FIRST COUNT} starts everything. What differs is in {@code target/volcano-random}.
 */
@Tag("volcano-random")
final class VolcanoRandomTest {
    private static final int AT_ONCE = Integer.getInteger("volcano.width", 10);
    private static final int FIRST = Integer.getInteger("volcano.first", 1);
    private static final int COUNT = Integer.getInteger("volcano.count", 60);
    private static final int STEPS = Integer.getInteger("volcano.steps", 8);
    private static final Path REPORT = Path.of("target/volcano-random");

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final ConcurrentHashMap<String, Integer> figures = new ConcurrentHashMap<>();

    @Test
    void endsLikeVolcanos() throws Exception {
        Files.createDirectories(REPORT);
        try (TwoClusters clusters = new TwoClusters(Scope.VOLCANO, REPORT, AT_ONCE, "e2e/jobs/compare");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (RemoteKubeApi api : clusters.both()) {
                clusters.surround(new PlayedNode(api));
                priority(api, "random-high", 1_000);
                priority(api, "random-low", 10);
            }
            Semaphore places = new Semaphore(AT_ONCE);
            String run = Long.toString(System.currentTimeMillis() / 1000 % 1_000_000, 36);
            List<Future<?>> all = IntStream.range(FIRST, FIRST + COUNT)
                    .<Future<?>>mapToObj(seed -> threads.submit(() -> {
                        places.acquireUninterruptibly();
                        try {
                            judge(seed, run, clusters.both());
                        } finally {
                            places.release();
                        }
                        return seed;
                    }))
                    .toList();
            for (Future<?> each : all) {
                each.get();
            }
        }
        String told = FIRST + " to " + (FIRST + COUNT - 1) + ": " + new TreeMap<>(figures);
        System.out.println("random: seeds " + told);
        Files.writeString(REPORT.resolve("figures-" + FIRST + ".txt"), told + "\n" + String.join("\n", lines) + "\n");
        assertThat(lines).isEmpty();
    }

    private void judge(int seed, String run, List<RemoteKubeApi> both) throws InterruptedException {
        RandomDuel.Outcome first = play(seed, "r" + seed + "-" + run, both);
        count("Jobs", 1);
        count("steps", first.trace().size());
        count("refused alike", first.refused());
        count("with a smaller gang", first.fewer() ? 1 : 0);
        if (first.isAlike()) {
            count("alike", 1);
        } else if (!first.excuse().isEmpty()) {
            count(first.excuse(), 1);
            write(seed, "excused", first);
        } else {
            write(seed, "first", first);
            RandomDuel.Outcome again = play(seed, "r" + seed + "-" + run + "-again", both);
            boolean fine = again.isAlike() || !again.excuse().isEmpty();
            count(fine ? "alike when tried again" : "different", 1);
            if (!fine) {
                write(seed, "again", again);
                lines.add(seed + ": " + again.differences().getFirst());
            }
        }
        System.out.println("random: " + seed + " " + new TreeMap<>(figures));
    }

    private static RandomDuel.Outcome play(int seed, String namespace, List<RemoteKubeApi> both)
            throws InterruptedException {
        try (RandomDuel duel =
                new RandomDuel(seed, namespace, Scope.VOLCANO_WAITING, both.getFirst(), both.getLast())) {
            RandomDuel.Outcome outcome = duel.play(STEPS);
            if (outcome.isAlike()) {
                duel.clear();
            }
            return outcome;
        }
    }

    private void count(String what, int number) {
        figures.merge(what, number, Integer::sum);
    }

    private static void write(int seed, String which, RandomDuel.Outcome outcome) {
        try {
            Path file = REPORT.resolve(seed + "-" + which + ".txt");
            Files.writeString(file, outcome.told());
            Files.writeString(Path.of(file + ".ours.json"), Json.pretty(outcome.ours()));
            Files.writeString(Path.of(file + ".theirs.json"), Json.pretty(outcome.theirs()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void priority(KubeApi api, String name, int value) {
        ObjectNode made = Json.object();
        made.put("apiVersion", "scheduling.k8s.io/v1")
                .put("kind", "PriorityClass")
                .put("value", value);
        made.putObject("metadata").put("name", name);
        try {
            api.create(new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false), "", made);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
        }
    }
}
