package lavaflow.linux;

import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Programs started as children. */
@Timeout(300)
class ChildTest {
    private static final List<String> ENVIRONMENT = List.of("PATH=/usr/bin:/bin", "A=b c");

    @BeforeEach
    void supported() {
        assumeTrue(Child.supported(), "needs glibc 2.34");
    }

    private static String output(String script) throws Exception {
        OpenFile[] pipe = OpenFile.pipe();
        Child child;
        try (OpenFile write = pipe[1]) {
            child = Child.start(List.of("/bin/sh", "-c", script), ENVIRONMENT, Arrays.asList(null, write, write));
        }
        try (InputStream in = pipe[0].intoInput()) {
            String text = new String(in.readAllBytes(), UTF_8);
            child.await();
            return text;
        }
    }

    @Test
    void aChildHasItsEnvironmentAndEndsWithACode() throws Exception {
        assertThat(output("echo $A")).isEqualTo("b c\n");
        Child child = Child.start(List.of("/bin/sh", "-c", "exit 7"), ENVIRONMENT, Arrays.asList(null, null, null));
        assertThat(child.await()).isEqualTo(7);
        assertThat(child.await()).isEqualTo(7);
    }

    @Test
    void aChildBeginsWhereItIsTold(@TempDir Path directory) throws Exception {
        Child child = Child.startIn(
                directory, List.of("/bin/sh", "-c", "echo >here"), ENVIRONMENT, Arrays.asList(null, null, null));

        assertThat(child.await()).isZero();
        assertThat(directory.resolve("here")).exists();
    }

    @Test
    void aSignalEndsItWithTheUsualCode() throws Exception {
        Child child = Child.start(List.of("/bin/sleep", "1000"), ENVIRONMENT, Arrays.asList(null, null, null));
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        child.whenEnded(ended::complete);

        Signals.send(child.pid(), Signals.KILL);

        assertThat(ended.get()).isEqualTo(137);
    }

    /** Java opens files and sockets that a child would keep open after our end. */
    @Test
    void aChildGetsNoOtherFilesOfOurs() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            assertThat(socket.getLocalPort()).isPositive();
            assertThat(output("ls /proc/self/fd").lines()).containsExactly("0", "1", "2", "3");
        }
    }

    @Test
    void aChildLeadsASessionOfItsOwnAndHeedsSignals() throws Exception {
        assertThat(output("ps -o sid= -p $$ | tr -d ' '; echo $$; grep -E 'SigBlk|SigIgn' /proc/self/status"))
                .matches("(\\d+)\n\\1\nSigBlk:\t0+\nSigIgn:\t0+\n");
    }

    @Test
    void filesMayBeHandedOverInAnyOrder() throws Exception {
        OpenFile[] first = OpenFile.pipe();
        OpenFile[] second = OpenFile.pipe();
        Child child = Child.start(
                List.of("/bin/sh", "-c", "echo three >&3; echo four >&4"),
                ENVIRONMENT,
                Arrays.asList(null, null, null, second[1], first[1]));
        child.await();
        first[1].close();
        second[1].close();
        try (InputStream four = first[0].intoInput();
                InputStream three = second[0].intoInput()) {
            assertThat(new String(four.readAllBytes(), UTF_8)).isEqualTo("four\n");
            assertThat(new String(three.readAllBytes(), UTF_8)).isEqualTo("three\n");
        }
    }

    @Test
    void aProgramThatIsNotThereIsTold() {
        assertThatThrownBy(() -> Child.start(List.of("/no/such"), ENVIRONMENT, List.of()))
                .isInstanceOf(SystemException.class)
                .hasMessage("/no/such: no such file or directory");
    }

    @Test
    void aChildHasATerminal() throws Exception {
        Terminal terminal = Terminal.open();
        Child child = Child.startOnTerminal(
                List.of("/bin/sh", "-c", "tty; read x; stty size; echo got $x"), ENVIRONMENT, terminal.name());
        java.util.Queue<String> seen = new java.util.concurrent.ConcurrentLinkedQueue<>();
        CountDownLatch ended = new CountDownLatch(1);
        try (Duplex duplex = terminal.intoDuplex(bytes -> seen.add(new String(bytes, UTF_8)), ended::countDown)) {
            duplex.resize(90, 30);
            duplex.output(100, () -> {}).write("word\n".getBytes(UTF_8));
            assertThat(child.await()).isZero();
            ended.await();
        }
        assertThat(String.join("", seen))
                .contains(terminal.name())
                .contains("30 90")
                .contains("got word");
    }

    @Test
    void theEndOfAnyProcessIsTold() throws Exception {
        Process process = new ProcessBuilder("/bin/sleep", "1000").start();
        try (ProcessWatch watch = new ProcessWatch()) {
            CountDownLatch ended = new CountDownLatch(2);
            watch.add(process.pid(), ended::countDown);
            watch.add(5_000_000, ended::countDown); // beyond all numbers the kernel gives

            process.destroyForcibly();

            ended.await();
        }
        assertThat(process.waitFor()).isEqualTo(137);
    }
}
