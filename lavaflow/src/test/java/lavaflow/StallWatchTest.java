package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class StallWatchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration LESS = Duration.ofSeconds(4);
    private static final Duration MORE = Duration.ofSeconds(6);

    @TempDir
    Path directory;

    private StallWatch watch;

    @BeforeEach
    void watch() {
        watch = new StallWatch(directory, PATIENCE);
    }

    private List<Path> reports() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void writesDownWhatThreadsDoWhenNothingBegins() throws Exception {
        watch.late(LESS);
        assertThat(reports()).isEmpty();
        watch.late(PATIENCE);
        watch.late(MORE);
        assertThat(reports()).as("one of each stall").hasSize(1);
        assertThat(Files.readString(reports().getFirst()))
                .contains(Thread.currentThread().getName())
                .contains("StallWatchTest");
    }

    @Test
    void keepsAFewReportsOnly() throws Exception {
        for (int stall = 1; stall <= 7; stall++) {
            watch.late(PATIENCE);
            watch.began(MORE);
            assertThat(reports()).hasSize(Math.min(stall, 5));
        }
    }

    @Test
    void saysNothingAsLongAsWorkBegins() throws Exception {
        watch.began(Duration.ZERO);
        watch.late(LESS);
        watch.began(LESS);
        assertThat(reports()).isEmpty();
    }
}
