package lavaflow;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressBarTest {
    private static final String LONG =
            "Downloading scikit_learn-1.9.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl";

    private final StringWriter text = new StringWriter();
    private final AtomicLong clock = new AtomicLong();

    private List<String> drawn(int columns, String note, long part, long all) {
        ProgressBar bar =
                new ProgressBar(new PrintWriter(text), true, () -> columns, () -> clock.addAndGet(1_000_000_000));
        bar.note(note);
        bar.amount(part, all);
        return Arrays.stream(text.toString().split("\r\u001b\\[K", -1))
                .filter(line -> !line.isEmpty())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {21, 40, 80, 140})
    void everyLineCanBeWrittenOverWhereverItIsDrawn(int columns) {
        assertThat(drawn(columns, LONG, 100, 100)).hasSize(2).allMatch(line -> line.length() < columns);
    }

    @Test
    void whatDoesNotFitIsLeftOutVisibly() {
        assertThat(drawn(80, LONG, 100, 100).getLast())
                .startsWith("  " + "█".repeat(19) + " 100%  Downloading scikit_learn")
                .endsWith("…");
        assertThat(drawn(140, "compiling", 5, 10).getLast())
                .isEqualTo("  " + "█".repeat(12) + "░".repeat(12) + "  50%  compiling");
    }

    @Test
    void amountsAreToldInBytes() {
        assertThat(drawn(80, "unpacking torch", 1_000_000, 4_000_000).getLast())
                .contains(" 25% ")
                .contains(Sizes.of(1_000_000) + " of " + Sizes.of(4_000_000))
                .endsWith("  unpacking torch");
    }
}
