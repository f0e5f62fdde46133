package lavaflow.linux;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Names of signals as images and pods write them. */
class SignalsTest {
    /** The kernel gives no number beyond 2 to the power of 22. */
    private static final long NOBODY = 5_000_000;

    @ParameterizedTest
    @CsvSource({
        "SIGTERM,15",
        "TERM,15",
        "sigquit,3",
        "9,9",
        "SIGRTMIN+3,37",
        "SIGRTMAX-1,63",
        "RTMIN,34",
        "SIGNONE,0",
        "99,0",
        "'',0"
    })
    void aSignalHasANumber(String name, int number) {
        assertThat(Signals.number(name)).isEqualTo(number);
    }

    @Test
    void nobodyIsReachedWhereNobodyIs() throws Exception {
        assertThat(Signals.send(NOBODY, 0)).isFalse();
        assertThat(Signals.send(ProcessHandle.current().pid(), 0)).isTrue();
    }
}
