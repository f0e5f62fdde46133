package lavaflow.audit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AuditFileTest {
    private final AtomicLong seconds = new AtomicLong();
    private final InstantSource clock =
            () -> Instant.parse("2026-01-02T03:04:05Z").plusSeconds(seconds.getAndIncrement());

    @TempDir
    Path directory;

    private AuditFile open(AuditFile.Mode mode, long bytes, int backups, int queue) throws Exception {
        return new AuditFile(directory.resolve("audit.log"), mode, new AuditFile.Bounds(bytes, backups, queue), clock);
    }

    private static byte[] line(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> files() throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void whatWasTakenIsInTheFileWhenItIsClosed() throws Exception {
        try (AuditFile file = open(AuditFile.Mode.BATCH, 1_000, 0, 100)) {
            for (int i = 0; i < 50; i++) {
                assertThat(file.accept(line("{\"i\":" + i + "}"))).isTrue();
            }
        }

        assertThat(Files.readAllLines(directory.resolve("audit.log")))
                .hasSize(50)
                .endsWith("{\"i\":49}");
        assertThat(Files.getPosixFilePermissions(directory.resolve("audit.log")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void blockingWaitsForTheFile() throws Exception {
        try (AuditFile file = open(AuditFile.Mode.BLOCKING, 1_000, 0, 1)) {
            file.accept(line("{}"));

            assertThat(Files.readString(directory.resolve("audit.log"))).isEqualTo("{}\n");
        }
    }

    @Test
    void aGrownFileIsPutAsideAndOldOnesAreForgotten() throws Exception {
        try (AuditFile file = open(AuditFile.Mode.BLOCKING, 10, 2, 10)) {
            for (int i = 0; i < 5; i++) {
                file.accept(line("line-000" + i));
            }
        }

        assertThat(files())
                .containsExactly("audit-2026-01-02T03-04-07.000.log", "audit-2026-01-02T03-04-08.000.log", "audit.log");
        assertThat(Files.readString(directory.resolve("audit.log"))).isEqualTo("line-0004\n");
    }

    @Test
    void anExistingFileIsContinued() throws Exception {
        Files.writeString(directory.resolve("audit.log"), "before\n");
        try (AuditFile file = open(AuditFile.Mode.BLOCKING, 1_000, 0, 10)) {
            file.accept(line("after"));
        }

        assertThat(Files.readString(directory.resolve("audit.log"))).isEqualTo("before\nafter\n");
    }

    @Test
    void aFullQueueLosesEventsInsteadOfHoldingRequests() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        InstantSource stopped = () -> {
            // Asked for when a file is put aside, which every line but the first one wants.
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return clock.instant();
        };
        AuditFile file = new AuditFile(
                directory.resolve("audit.log"), AuditFile.Mode.BATCH, new AuditFile.Bounds(1, 0, 2), stopped);
        for (int i = 0; i < 20; i++) {
            assertThat(file.accept(line("{}"))).isTrue();
        }
        assertThat(file.lost()).isPositive();
        held.countDown();
        file.close();

        assertThat(file.written() + file.lost()).isEqualTo(20);
    }

    @Test
    void strictModeRefusesWhatCannotBeWritten() throws Exception {
        AuditFile file = open(AuditFile.Mode.BLOCKING_STRICT, 4, 0, 10);
        assertThat(file.accept(line("{}"))).isTrue();
        // The directory is gone, so the file cannot be put aside.
        Files.delete(directory.resolve("audit.log"));

        assertThat(file.accept(line("{\"too\":\"big\"}"))).isFalse();
        assertThat(file.lost()).isEqualTo(1);
        file.close();
    }
}
