package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class StallWatchTest {
    private static final Duration MOMENT = Duration.ofMillis(20);

    @TempDir
    Path directory;

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

    private List<Path> reports() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void writesDownWhatThreadsDoWhenNothingBegins() throws Exception {
        try (StallWatch watch = new StallWatch(directory, waiting::add, MOMENT)) {
            watch.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> !reports().isEmpty());
            assertThat(waiting).as("the next look comes when the first is over").hasSize(1);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(Files.readString(reports().getFirst()))
                            .contains("\"stall watch\"")
                            .contains("StallWatch"));
        }
    }

    @Test
    void keepsAFewReportsOnly() throws Exception {
        try (StallWatch watch = new StallWatch(directory, waiting::add, MOMENT)) {
            watch.start();
            for (int count = 1; count <= 5; count++) {
                int expected = count;
                await().atMost(Duration.ofMinutes(1)).until(() -> reports().size() == expected);
                waiting.take().run();
            }
            assertThat(waiting.poll(200, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    @Test
    void saysNothingAsLongAsWorkBegins() throws Exception {
        BlockingQueue<Runnable> begun = new LinkedBlockingQueue<>();
        try (StallWatch watch = new StallWatch(
                directory,
                task -> {
                    task.run();
                    begun.add(task);
                },
                MOMENT)) {
            watch.start();
            for (int count = 0; count < 5; count++) {
                assertThat(begun.poll(1, TimeUnit.MINUTES)).isNotNull();
            }
        }
        assertThat(reports()).isEmpty();
    }
}
