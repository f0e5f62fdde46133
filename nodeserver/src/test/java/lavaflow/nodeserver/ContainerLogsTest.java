package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class ContainerLogsTest {
    @TempDir
    private Path directory;

    private Path log;

    /** A container that runs until it is told to end. */
    private static final class Running implements ContainerLogs.Life {
        private final CompletableFuture<Void> end = new CompletableFuture<>();

        @Override
        public boolean isOver() {
            return end.isDone();
        }

        @Override
        public AutoCloseable onEnd(Runnable action) {
            var _ = end.thenRun(action);
            return () -> {};
        }
    }

    /** What was written so far. */
    private static final class Shown extends ByteArrayOutputStream {
        synchronized String text() {
            return toString(StandardCharsets.UTF_8);
        }
    }

    @BeforeEach
    void writeLog() throws IOException {
        log = directory.resolve("0.log");
        append(log, """
                2026-11-15T06:45:41.735598401+00:00 stdout F one
                2026-11-15T06:45:42.100000000+00:00 stderr P tw
                2026-11-15T06:45:42.200000000+00:00 stderr F o
                2026-11-15T06:45:43.5Z stdout F three
                """);
    }

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static NodeView.LogRequest all() {
        return new NodeView.LogRequest(false, false, false, null, -1, 0, NodeView.LogRequest.Stream.ALL);
    }

    private static NodeView.LogRequest tail(long lines) {
        return new NodeView.LogRequest(false, false, false, null, lines, 0, NodeView.LogRequest.Stream.ALL);
    }

    private static NodeView.LogRequest following(long lines) {
        return new NodeView.LogRequest(true, false, false, null, lines, 0, NodeView.LogRequest.Stream.ALL);
    }

    private String show(NodeView.LogRequest request) throws IOException {
        Shown shown = new Shown();
        ContainerLogs.write(log, request, ContainerLogs.Life.OVER, shown);
        return shown.text();
    }

    @Test
    void partsOfALineAreOneLine() throws IOException {
        assertThat(show(all())).isEqualTo("one\ntwo\nthree\n");
    }

    @Test
    void timesHaveNineDigitsAndTheZoneOfGreenwich() throws IOException {
        var request = new NodeView.LogRequest(false, false, true, null, -1, 0, NodeView.LogRequest.Stream.ALL);
        append(log, "2026-11-15T08:45:44.5+02:00 stdout F four\n");

        assertThat(show(request)).isEqualTo("""
                2026-11-15T06:45:41.735598401Z one
                2026-11-15T06:45:42.100000000Z two
                2026-11-15T06:45:43.500000000Z three
                2026-11-15T06:45:44.500000000Z four
                """);
    }

    @Test
    void theLastLinesAreCountedWhole() throws IOException {
        assertThat(show(tail(0))).isEmpty();
        assertThat(show(tail(1))).isEqualTo("three\n");
        assertThat(show(tail(2))).isEqualTo("two\nthree\n");
        assertThat(show(tail(3))).isEqualTo("one\ntwo\nthree\n");
        assertThat(show(tail(99))).isEqualTo("one\ntwo\nthree\n");
    }

    @Test
    void theLastLinesOfALongLogAreFoundFromItsEnd() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append("2026-11-15T06:45:44.000000000+00:00 stdout F line ")
                    .append(i)
                    .append('\n');
        }
        append(log, text.toString());

        assertThat(show(tail(3))).isEqualTo("line 19997\nline 19998\nline 19999\n");
        assertThat(show(tail(20_001))).startsWith("three\nline 0\n");
    }

    @Test
    void whatWasMovedAwayComesFirst() throws IOException {
        Files.move(log, directory.resolve("0.log.20261115-070000"));
        append(log, "2026-11-15T07:00:00.000000000+00:00 stdout F four\n");
        append(directory.resolve("0.log.20261114-070000.gz"), "not read");

        assertThat(show(all())).isEqualTo("one\ntwo\nthree\nfour\n");
        assertThat(show(tail(1))).isEqualTo("four\n");
        assertThat(show(tail(3))).isEqualTo("two\nthree\nfour\n");
    }

    @Test
    void onlyWhatIsNewEnoughIsShown() throws IOException {
        Instant since = Instant.parse("2026-11-15T06:45:43Z");
        var request = new NodeView.LogRequest(false, false, false, since, -1, 0, NodeView.LogRequest.Stream.ALL);

        assertThat(show(request)).isEqualTo("three\n");
    }

    @Test
    void bytesAreCounted() throws IOException {
        var request = new NodeView.LogRequest(false, false, false, null, -1, 6, NodeView.LogRequest.Stream.ALL);

        assertThat(show(request)).isEqualTo("one\ntw");
    }

    @Test
    void oneStreamCanBeShownAlone() throws IOException {
        var stdout = new NodeView.LogRequest(false, false, false, null, -1, 0, NodeView.LogRequest.Stream.STDOUT);
        var stderr = new NodeView.LogRequest(false, false, false, null, -1, 0, NodeView.LogRequest.Stream.STDERR);

        assertThat(show(stdout)).isEqualTo("one\nthree\n");
        assertThat(show(stderr)).isEqualTo("two\n");
    }

    @Test
    void whatIsNoLineIsLeftOut() throws IOException {
        append(log, "\ngarbage\n2026-11-15T06:45:44Z stdlog F x\n2026-11-15T06:45:44Z stdout Q x\n");
        append(log, "2026-11-15T06:45:44Z stdout F \n2026-11-15T06:45:44Z stdout F un");

        assertThat(show(all())).isEqualTo("one\ntwo\nthree\n\nun\n");
    }

    @Test
    void aLineThatIsNoneBecauseItNeverEndsCostsNoMemory() throws IOException {
        append(log, "2026-11-15T06:45:44Z stdout F " + "x".repeat(3 << 20) + "\n2026-11-15T06:45:45Z stdout F after\n");

        assertThat(show(all())).isEqualTo("one\ntwo\nthree\nafter\n");
    }

    @Test
    void followingEndsWithTheContainer() throws Exception {
        Running life = new Running();
        Shown shown = new Shown();
        var done = CompletableFuture.runAsync(() -> follow(following(1), life, shown), Thread::startVirtualThread);
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().equals("three\n"));
        append(log, "2026-11-15T06:45:44Z stdout F four\n2026-11-15T06:45:44Z stdout F fi");
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().equals("three\nfour\n"));
        append(log, "ve\n");
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().endsWith("five\n"));
        append(log, "2026-11-15T06:45:44Z stdout F last\n");
        life.end.complete(null);

        done.get(60, TimeUnit.SECONDS);
        assertThat(shown.text()).isEqualTo("three\nfour\nfive\nlast\n");
    }

    @Test
    void followingGoesOnInTheNextFile() throws Exception {
        Running life = new Running();
        Shown shown = new Shown();
        var done = CompletableFuture.runAsync(() -> follow(following(1), life, shown), Thread::startVirtualThread);
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().equals("three\n"));
        Files.move(log, directory.resolve("0.log.20261115-070000"));
        append(directory.resolve("0.log.20261115-070000"), "2026-11-15T06:45:44Z stdout F five\n");
        append(log, "2026-11-15T06:45:45Z stdout F six\n");
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().endsWith("six\n"));
        life.end.complete(null);

        done.get(60, TimeUnit.SECONDS);
        assertThat(shown.text()).isEqualTo("three\nfive\nsix\n");
    }

    @Test
    void followingEndsWithItsClient() throws Exception {
        Shown shown = new Shown();
        Thread follower = Thread.startVirtualThread(() -> follow(following(-1), new Running(), shown));
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.text().endsWith("three\n"));

        follower.interrupt();

        assertThat(follower.join(java.time.Duration.ofSeconds(60))).isTrue();
    }

    private void follow(NodeView.LogRequest request, ContainerLogs.Life life, Shown shown) {
        try {
            ContainerLogs.write(log, request, life, shown);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static ObjectNode pod(String status) {
        return (ObjectNode) Json.parse(
                "{\"metadata\":{\"name\":\"p\"},\"status\":{\"containerStatuses\":[{\"name\":\"c\"," + status + "}]}}");
    }

    @Test
    void theContainerIsTheOneThatRunsOrRanLast() {
        assertThat(ContainerLogs.container(pod("\"containerID\":\"x://1\",\"state\":{\"running\":{}}"), "c", false))
                .isEqualTo("1");
        String crashed = "\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},"
                + "\"lastState\":{\"terminated\":{\"containerID\":\"x://0\"}}";
        assertThat(ContainerLogs.container(pod(crashed), "c", false)).isEqualTo("0");
        assertThat(ContainerLogs.container(pod(crashed), "c", true)).isEqualTo("0");
        String ended = "\"state\":{\"terminated\":{\"containerID\":\"x://2\"}}";
        assertThat(ContainerLogs.container(pod(ended), "c", false)).isEqualTo("2");
    }

    @Test
    void aContainerWithoutALogIsExplainedInUpstreamsWords() {
        assertRefused(
                "\"state\":{\"waiting\":{\"reason\":\"ContainerCreating\"}}",
                false,
                "container \"c\" in pod \"p\" is waiting to start: ContainerCreating");
        assertRefused(
                "\"state\":{\"waiting\":{\"reason\":\"ErrImagePull\"}}",
                false,
                "container \"c\" in pod \"p\" is waiting to start: image can't be pulled");
        assertRefused(
                "\"state\":{\"waiting\":{\"reason\":\"ImagePullBackOff\"}}",
                false,
                "container \"c\" in pod \"p\" is waiting to start: trying and failing to pull image");
        assertRefused("\"state\":{\"running\":{}}", true, "previous terminated container \"c\" in pod \"p\" not found");
        assertRefused("\"state\":{\"terminated\":{}}", false, "container \"c\" in pod \"p\" is terminated");
        assertRefused("\"state\":{}", false, "container \"c\" in pod \"p\" is waiting to start - no logs yet");
    }

    private static void assertRefused(String status, boolean previous, String message) {
        assertThatThrownBy(() -> ContainerLogs.container(pod(status), "c", previous))
                .isInstanceOf(ApiException.class)
                .hasMessage(message);
    }
}
