package lavaflow;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PulseTest {
    private static final Duration MOMENT = Duration.ofMillis(20);

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final BlockingQueue<Duration> late = new LinkedBlockingQueue<>();
    private final BlockingQueue<Duration> began = new LinkedBlockingQueue<>();

    private final Pulse.Listener listener = new Pulse.Listener() {
        @Override
        public void late(Duration waited) {
            late.add(waited);
        }

        @Override
        public void began(Duration waited) {
            began.add(waited);
        }
    };

    @Test
    void tellsAgainAndAgainThatWorkDoesNotBegin() throws Exception {
        try (Pulse pulse = new Pulse(waiting::add, MOMENT, listener)) {
            pulse.start();
            Duration first = late.poll(1, TimeUnit.MINUTES);
            Duration second = late.poll(1, TimeUnit.MINUTES);
            assertThat(first).isGreaterThanOrEqualTo(MOMENT);
            assertThat(second).isGreaterThan(first);
            assertThat(waiting)
                    .as("the next beat comes when the first has begun")
                    .hasSize(1);
            waiting.take().run();
            assertThat(began.poll(1, TimeUnit.MINUTES)).isGreaterThan(second);
            assertThat(waiting.poll(1, TimeUnit.MINUTES)).isNotNull();
        }
    }

    @Test
    void beatsOnAsLongAsWorkBegins() throws Exception {
        try (Pulse pulse = new Pulse(Runnable::run, MOMENT, listener)) {
            pulse.start();
            for (int beat = 0; beat < 5; beat++) {
                assertThat(began.poll(1, TimeUnit.MINUTES)).isNotNull();
            }
        }
        assertThat(late).isEmpty();
    }
}
