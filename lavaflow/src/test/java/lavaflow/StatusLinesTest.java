package lavaflow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.cli.Palette;
import lavaflow.scheduler.ClusterTally;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class StatusLinesTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final ProgramUse PROGRAM = new ProgramUse(Duration.ofSeconds(42), 214_000_000, true);
    private static final ClusterTally IDLE = new ClusterTally(1, 1, 0, 0, 0, 0, null, 1);
    private static final ClusterTally BUSY =
            new ClusterTally(100, 98, 480, 12, 30, 2, waiting("default/train-large", 185), 4);

    private static ClusterTally.Waiting waiting(String key, long seconds) {
        return new ClusterTally.Waiting(key, NOW.minusSeconds(seconds));
    }

    private static Stream<Arguments> clusters() {
        return Stream.of(
                Arguments.of("nobody knows", 80, null, List.of("● processor 42s   memory 214 MB")),
                Arguments.of(
                        "idle",
                        80,
                        IDLE,
                        List.of("● nodes 1/1   pods 0 placed   gangs 0 running   processor 42s   memory 214 MB")),
                Arguments.of(
                        "busy",
                        80,
                        BUSY,
                        List.of(
                                "● nodes 98/100   pods 480 placed, 12 waiting   gangs 30 running, 2 waiting",
                                "  longest default/train-large, 3m5s   queues 4   processor 42s   memory 214 MB")),
                Arguments.of(
                        "busy and wide",
                        140,
                        BUSY,
                        List.of(
                                "● nodes 98/100   pods 480 placed, 12 waiting   gangs 30 running, 2 waiting   longest default/train-large, 3m5s   queues 4   processor 42s",
                                "  memory 214 MB")),
                Arguments.of(
                        "no more than three lines",
                        30,
                        BUSY,
                        List.of("● nodes 98/100", "  pods 480 placed, 12 waiting", "  gangs 30 running, 2 waiting")),
                Arguments.of("no room for anything", 19, BUSY, List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("clusters")
    void tellsWhatThereIsRoomFor(String what, int columns, @Nullable ClusterTally cluster, List<String> lines) {
        assertThat(new StatusLines(new Palette(false), columns).of(cluster, PROGRAM, NOW))
                .containsExactlyElementsOf(lines);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 21, 33, 40, 79, 80, 81, 140, 300})
    void colouredOrNotALineNeverReachesTheLastColumn(int columns) {
        ClusterTally wide = new ClusterTally(100, 98, 480, 12, 30, 2, waiting("default/" + "x".repeat(200), 3), 4);
        List<String> coloured = new StatusLines(new Palette(true), columns).of(wide, PROGRAM, NOW);
        assertThat(coloured).isNotEmpty().allMatch(line -> Console.width(line) < columns);
        assertThat(coloured.stream().map(line -> line.replaceAll("\u001b\\[[0-9;]*m", "")))
                .containsExactlyElementsOf(new StatusLines(new Palette(false), columns).of(wide, PROGRAM, NOW));
    }

    @Test
    void theMarkIsGreenWhenNothingWaitsAndAllNodesWork() {
        StatusLines lines = new StatusLines(new Palette(true), 140);
        assertThat(lines.of(IDLE, PROGRAM, NOW).getFirst()).startsWith("\u001b[32m●");
        assertThat(lines.of(BUSY, PROGRAM, NOW).getFirst()).startsWith("\u001b[33m●");
    }

    @Test
    void theProgramIsReadFromWhatTheSystemSays() {
        String stat = "77 (a (b) c) S 1 300 300 34816 300 4194560 9 0 0 0 400 50 0 0 20 0 30 0 12 99 88 1";
        String status = "Name:\tjava\nVmHWM:\t  900 kB\nVmRSS:\t  200 kB\nThreads:\t30\n";
        assertThat(ProgramUse.of(stat, status)).isEqualTo(new ProgramUse(Duration.ofMillis(4500), 204_800, true));
        assertThat(ProgramUse.of(stat.replace("34816 300", "34816 301"), status).foreground())
                .isFalse();
    }
}
