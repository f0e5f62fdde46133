package lavaflow.volume;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DiskUsageTest {
    @TempDir
    private Path directory;

    @Test
    void theAnswerIsKeptForAWhile() throws Exception {
        AtomicLong now = new AtomicLong();
        DiskUsage usage = new DiskUsage(now::get);
        long first = usage.of("pod", directory).bytes();
        Files.write(directory.resolve("more"), new byte[100_000]);
        now.addAndGet(Duration.ofSeconds(9).toNanos());
        assertThat(usage.of("pod", directory).bytes()).isEqualTo(first);
        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(usage.of("pod", directory).bytes()).isGreaterThan(first + 90_000);
    }
}
