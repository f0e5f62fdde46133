package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Commands beside a container's program, and its own streams. */
@Timeout(600)
class StreamsTest {
    private static final StreamWishes ALL = new StreamWishes(true, true, true, false);
    private static final StreamWishes TERMINAL = new StreamWishes(true, true, false, true);
    private static final StreamWishes OUTPUT = new StreamWishes(false, true, true, false);

    private TestingMachine machine;

    @BeforeEach
    void open() throws Exception {
        machine = new TestingMachine();
    }

    @AfterEach
    void close() throws Exception {
        if (machine != null) {
            machine.close();
        }
    }

    private ProcessStreams exec(StreamWishes wishes, String script) throws SandboxException {
        return machine.runtime.exec("a", List.of("sh", "-c", script), wishes);
    }

    private static String text(InputStream in) throws IOException {
        return new String(in.readAllBytes(), UTF_8);
    }

    /** Reads until something was said. */
    private static String until(InputStream in, String expected) throws IOException {
        StringBuilder seen = new StringBuilder();
        byte[] buffer = new byte[1024];
        while (seen.indexOf(expected) < 0) {
            int count = in.read(buffer);
            if (count < 0) {
                throw new AssertionError("ended after: " + seen);
            }
            seen.append(new String(buffer, 0, count, UTF_8));
        }
        return seen.toString();
    }

    @Test
    void aCommandHasThreeStreamsAndACode() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        try (ProcessStreams streams = exec(ALL, "cat; echo bad >&2; exit 7")) {
            streams.stdin().write("hello".getBytes(UTF_8));
            streams.stdin().close();

            assertThat(text(streams.stdout())).isEqualTo("hello");
            assertThat(text(streams.stderr())).isEqualTo("bad\n");
            assertThat(streams.await()).isEqualTo(7);
        }
    }

    @Test
    void aCommandOnATerminalSeesItsSizeAndChangesOfIt() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        try (ProcessStreams streams =
                exec(TERMINAL, "tty; while read x && [ $x != end ]; do stty size; done; exit 5")) {
            until(streams.stdout(), "/dev/pts/");
            streams.resize(123, 45);
            awaitSize(streams, "45 123");
            streams.stdin().write("end\n".getBytes(UTF_8));

            assertThat(streams.await()).isEqualTo(5);
        }
    }

    /** Sizes and input take different ways, in no order: asks until the answer is the new size. */
    private static void awaitSize(ProcessStreams streams, String size) throws IOException {
        String seen = "";
        while (!seen.contains(size)) {
            streams.stdin().write("x\n".getBytes(UTF_8));
            byte[] buffer = new byte[1024];
            int count = streams.stdout().read(buffer);
            seen += new String(buffer, 0, count, UTF_8);
        }
    }

    @Test
    void aCommandThatDoesNotExistIsToldAsContainerEnginesTellIt() throws Exception {
        machine.wish("a", "sleep", "1000").start();

        assertThatThrownBy(() -> machine.runtime.exec("a", List.of("nope"), OUTPUT))
                .isInstanceOfSatisfying(
                        SandboxException.class, e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.START))
                .hasMessage(
                        "exec failed: unable to start container process: exec: \"nope\": executable file not found in $PATH");
    }

    @Test
    void closingACommandEndsAllItsProcesses() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        ProcessStreams streams = exec(OUTPUT, "setsid sleep 2001 & sleep 2002 & echo on; sleep 2003");
        until(streams.stdout(), "on");

        streams.close();
        streams.await();

        awaitSleepers("200[123]", 0);
    }

    /**
     * Who was started may not have come to what it is to do, and who was killed needs a processor to die.
     *
     * @param pattern must not match itself, for whoever looks is seen too
     */
    private void awaitSleepers(String pattern, int count) {
        String look = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'sleep " + pattern + " ' | wc -l";
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(machine.runtime
                                .run("a", List.of("sh", "-c", look), Duration.ofSeconds(60))
                                .output()
                                .strip())
                        .isEqualTo(Integer.toString(count)));
    }

    @Test
    void whatACommandLeavesBehindAfterItsEndStays() throws Exception {
        machine.wish("a", "sleep", "1000").start();
        try (ProcessStreams streams = exec(OUTPUT, "setsid sleep 2004 >/dev/null 2>&1 </dev/null &")) {
            assertThat(streams.await()).isZero();
        }

        awaitSleepers("200[4]", 1);
    }

    @Test
    void aCommandWhoseTimeIsUpEndsWithAllItsProcesses() throws Exception {
        machine.wish("a", "sleep", "1000").start();

        CommandResult result = machine.runtime.run(
                "a", List.of("sh", "-c", "echo begun; setsid sleep 2005 & sleep 2006"), Duration.ofSeconds(2));

        assertThat(result.timedOut()).isTrue();
        assertThat(result.code()).isEqualTo(-1);
        // A machine with much to do may not have come to its first word.
        assertThat(result.output()).isIn("begun\n", "");
        awaitSleepers("200[56]", 0);
    }

    @Test
    void onlyTheFirstOfALongOutputIsKept() throws Exception {
        machine.wish("a", "sleep", "1000").start();

        CommandResult result = machine.runtime.run(
                "a", List.of("sh", "-c", "yes | head -c 200000; echo END >&2"), Duration.ofSeconds(60));

        assertThat(result.output()).hasSize(10 << 10);
        assertThat(result.code()).isZero();
    }

    @Test
    void nothingRunsInAContainerThatDoesNot() throws Exception {
        machine.runtime.create(machine.wish("a", "true").spec());

        assertThatThrownBy(() -> exec(OUTPUT, "true"))
                .isInstanceOfSatisfying(
                        SandboxException.class,
                        e -> assertThat(e.reason()).isEqualTo(SandboxException.Cause.NOT_RUNNING));
    }

    @Test
    void theStreamsOfTheProgramCanBeAttachedAgainAndAgain() throws Exception {
        machine.wish("a", "sh", "-c", "while read x; do echo got $x; echo err $x >&2; done; echo over; sleep 1000")
                .stdin()
                .start();
        for (String word : List.of("one", "two")) {
            try (ProcessStreams streams = machine.runtime.attach("a", ALL)) {
                streams.stdin().write((word + "\n").getBytes(UTF_8));
                until(streams.stdout(), "got " + word + "\n");
                until(streams.stderr(), "err " + word + "\n");
            }
        }
    }

    @Test
    void theInputEndsWithTheFirstWriterWhereThatIsWished() throws Exception {
        machine.wish("a", "sh", "-c", "cat; echo over")
                .program(new ContainerSpec.Program(
                        List.of("sh", "-c", "cat; echo over"), List.of(), "/", false, true, true))
                .start();
        try (ProcessStreams streams = machine.runtime.attach("a", ALL)) {
            streams.stdin().write("text ".getBytes(UTF_8));
            streams.stdin().close();
            assertThat(text(streams.stdout())).isEqualTo("text over\n");
            assertThat(streams.await()).isZero();
        }
        assertThat(machine.exit("a").code()).isZero();
    }

    @Test
    void theProgramsOwnTerminalCanBeResized() throws Exception {
        Wish.script(machine, "a", "while read x; do stty size; done")
                .tty()
                .stdin()
                .start();
        try (ProcessStreams streams = machine.runtime.attach("a", TERMINAL)) {
            streams.resize(99, 33);
            awaitSize(streams, "33 99");
        }
    }

    @Test
    void aLogGoesOnInANewFile() throws Exception {
        Wish.script(machine, "a", "echo one; read x; echo two; sleep 1000")
                .stdin()
                .start();
        machine.awaitLog("a", "one");
        Path log = machine.logFile("a");
        Path old = log.resolveSibling("old.log");
        Files.move(log, old);

        machine.runtime.reopenLog("a");
        assertThat(log).exists();
        try (ProcessStreams streams = machine.runtime.attach("a", ALL)) {
            streams.stdin().write("\n".getBytes(UTF_8));
            until(streams.stdout(), "two");
        }

        machine.awaitLog("a", "two");
        assertThat(machine.log("a")).isEqualTo("two\n");
    }
}
