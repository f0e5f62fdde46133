package lavaflow.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** What frameworks print, and what is understood of it. */
class ProgressTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "' 12/100 [==>...........................] - ETA: 3s - loss: 0.4321 - accuracy: 0.9'; 0.12; step 12/100 · loss 0.4321",
                "'313/313 ━━━━━━━━━━━━━━━━━━━━ 1s 2ms/step - accuracy: 0.97 - loss: 0.0912'; 1; step 313/313 · loss 0.0912",
                "' 45%|████▌     | 45/100 [00:10<00:12,  4.50it/s]'; 0.45; ''",
                "'Training:  45%|████▌     | 45/100 [00:10<00:12, loss=0.25]'; 0.45; loss 0.25",
                "'Epoch 3/10'; 0.2; epoch 3/10",
                "'Epoch: 3/10, loss: 1.5'; 0.3; epoch 3/10 · loss 1.5",
                "'[epoch 2 of 4] step 50/100'; 0.375; epoch 2/4 · step 50/100",
                "'epoch=3 loss=0.123456789'; -1; epoch 3 · loss 0.1235",
                "'INFO: step=1200 loss=2.5e-3'; -1; step 1200 · loss 2.5e-3",
                "'iteration 20/80'; 0.25; step 20/80",
                "'global_step: 7'; -1; step 7"
            })
    void aLineTellsHowFarItIs(String line, double part, String text) {
        Progress progress = Progress.of(line).orElseThrow();
        assertThat(progress.part()).isCloseTo(part, within(0.001));
        assertThat(progress.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Downloading https://host/a/1/2",
                "listening on 10.0.0.1/24",
                "2026-01-02 03:04:05 started",
                "using 50% of the memory",
                "the next epoch of mankind"
            })
    void otherLinesTellNothing(String line) {
        assertThat(Progress.of(line)).isEmpty();
    }

    @Test
    void stepsArePartsOfTheEpochThatWasToldBefore() {
        Progress epoch = Progress.of("Epoch 2/4").orElseThrow();
        assertThat(epoch.part()).isCloseTo(0.25, within(0.001));
        Progress half = Progress.of("50/100 [=====>....] - loss: 0.5", epoch).orElseThrow();
        assertThat(half.part()).isCloseTo(0.375, within(0.001));
        assertThat(half.text()).isEqualTo("epoch 2/4 · step 50/100 · loss 0.5");
        Progress next = Progress.of("Epoch 3/4", half).orElseThrow();
        assertThat(next.part()).isCloseTo(0.5, within(0.001));
        assertThat(next.text()).isEqualTo("epoch 3/4 · loss 0.5");
    }

    @Test
    void ofABarThatIsDrawnOverItselfTheLastCounts() {
        assertThat(Progress.of("  1%|  | 1/100\r 20%|█ | 20/100\r")
                        .orElseThrow()
                        .part())
                .isCloseTo(0.2, within(0.001));
        assertThat(Progress.of("\u001b[1m 30%|\u001b[0m").orElseThrow().part()).isCloseTo(0.3, within(0.001));
    }

    @Test
    void aMeasureAloneKeepsWhatWasKnown() {
        Progress before = new Progress(0.4, "epoch 2/5 · step 3/4");
        assertThat(Progress.of("loss: 0.1", before)).contains(new Progress(0.4, "epoch 2/5 · step 3/4 · loss 0.1"));
    }
}
