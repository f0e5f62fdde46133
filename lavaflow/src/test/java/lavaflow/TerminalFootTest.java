package lavaflow;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import lavaflow.cli.Palette;
import lavaflow.scheduler.ClusterTally;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TerminalFootTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicInteger columns = new AtomicInteger(80);
    private final TerminalFoot foot =
            new TerminalFoot(new PrintStream(bytes, false, StandardCharsets.UTF_8), columns::get);

    /** What was written since this was asked last, with the escape as a letter that can be read. */
    private String written() {
        String text =
                bytes.toString(StandardCharsets.UTF_8).replace('\u001b', '^').replace('\r', '<');
        bytes.reset();
        return text;
    }

    @Test
    void isWrittenOverWhenItChangesAndOnlyThen() {
        foot.show(List.of("one", "two"));
        assertThat(written()).isEqualTo("one\ntwo");
        foot.show(List.of("one", "two"));
        assertThat(written()).isEmpty();
        foot.show(List.of("three"));
        assertThat(written()).isEqualTo("<^[1A^[Jthree");
        foot.show(List.of());
        assertThat(written()).isEqualTo("<^[J");
    }

    @Test
    void whatIsLoggedScrollsByAbove() {
        foot.show(List.of("one", "two"));
        written();
        foot.above().println("logged");
        assertThat(written()).isEqualTo("<^[1A^[Jlogged\none\ntwo");
    }

    @Test
    void partOfALineIsWaitedFor() {
        foot.show(List.of("one"));
        written();
        PrintStream above = foot.above();
        above.print("log");
        assertThat(written()).isEqualTo("<^[Jlog");
        foot.show(List.of("two"));
        assertThat(written()).as("nothing comes into the middle of a line").isEmpty();
        above.print("ged\n");
        assertThat(written()).isEqualTo("ged\none");
    }

    @Test
    void linesThatANarrowerTerminalHasBrokenAreTakenAwayWhole() {
        foot.show(List.of("x".repeat(70), "y".repeat(10)));
        written();
        columns.set(30);
        foot.show(List.of("z"));
        assertThat(written()).as("three rows and one").isEqualTo("<^[3A^[Jz");
    }

    @Test
    void colourTakesNoRoom() {
        columns.set(10);
        foot.show(List.of("\u001b[32mninechars\u001b[0m"));
        written();
        foot.show(List.of("z"));
        assertThat(written()).isEqualTo("<^[Jz");
    }

    @Test
    void leavesNothingBehindAndStaysAway() {
        foot.show(List.of("one", "two"));
        written();
        foot.close();
        assertThat(written()).isEqualTo("<^[1A^[J");
        foot.show(List.of("three"));
        foot.above().println("logged");
        foot.close();
        assertThat(written()).isEqualTo("logged\n");
    }

    @Test
    void whatAnotherJobHasWrittenOverIsNotTakenAway() {
        foot.show(List.of("one", "two"));
        foot.forget();
        written();
        foot.show(List.of("one", "two"));
        assertThat(written()).isEqualTo("one\ntwo");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"xterm-256color,true", "screen,true", "dumb,false", "'',false", "-,false"})
    void someTerminalsCannotBeDrawnOn(String name, boolean can) {
        assertThat(LiveStatus.canDraw(name)).isEqualTo(can);
    }

    @Test
    void whereNobodyWatchesNobodyIsAskedAndNothingWritten() {
        PrintStream out = System.out;
        PrintStream err = System.err;
        AtomicInteger asked = new AtomicInteger();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        PrintStream own = System.out;
        try (LiveStatus status = new LiveStatus(
                () -> {
                    asked.incrementAndGet();
                    return CompletableFuture.completedFuture(new ClusterTally(1, 1, 0, 0, 0, 0, null, 1));
                },
                new Palette(false),
                false)) {
            status.start();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain("live status");
            assertThat(System.out).isSameAs(own);
            assertThat(System.err).isSameAs(err);
        } finally {
            System.setOut(out);
        }
        assertThat(asked).hasValue(0);
        assertThat(bytes.size()).isZero();
    }
}
