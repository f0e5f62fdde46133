package lavaflow;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EndSignalsTest {
    @Test
    void eachSignalIsMoreUrgentThanTheOneBefore() {
        List<String> done = new ArrayList<>();
        EndSignals signals =
                new EndSignals(() -> done.add("end"), () -> done.add("end quickly"), () -> done.add("halt"));

        signals.next();
        assertThat(done).containsExactly("end");
        signals.next();
        assertThat(done).containsExactly("end", "end quickly");
        signals.next();
        assertThat(done).containsExactly("end", "end quickly", "halt");
    }
}
