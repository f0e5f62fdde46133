package lavaflow.remote;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TextStreamTest {
    /** A server that says what the test says. */
    private static final class Server implements Streams, Streams.Stream {
        private Streams.@Nullable Listener listener;
        private int asked;
        private boolean cancelled;

        @Override
        public Stream open(String path, String accept, Listener listener) {
            this.listener = listener;
            return this;
        }

        @Override
        public void more() {
            asked++;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        boolean says(String text) {
            return listener.bytes(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private final Server server = new Server();
    private final TextStream text = TextStream.of(server, "/log");

    @Test
    void linesComeWholeHoweverTheyWereSent() throws InterruptedException {
        server.says("on");
        server.says("e\n\ntw");
        server.says("o\nrest");
        server.listener.ended(null);
        assertThat(text.next()).isEqualTo("one");
        assertThat(text.next()).isEmpty();
        assertThat(text.next()).isEqualTo("two");
        assertThat(text.next()).isEqualTo("rest");
        assertThat(text.next()).isNull();
    }

    @Test
    void whatWentWrongIsToldAfterTheLastLine() throws InterruptedException {
        server.says("one\n");
        server.listener.ended(ApiException.of(503, "ServiceUnavailable", "cut"));
        assertThat(text.next()).isEqualTo("one");
        assertThatThrownBy(text::next).hasMessage("cut");
    }

    @Test
    void whoReadsSlowlySlowsDownWhoSends() throws InterruptedException {
        assertThat(server.says("x\n".repeat(TextStream.READ_AHEAD - 1))).isTrue();
        assertThat(server.says("x\n")).isFalse();
        for (int i = 0; i < TextStream.READ_AHEAD / 2 + 1; i++) {
            text.next();
        }
        assertThat(server.asked).isEqualTo(1);
    }

    @Test
    void aLineThatNeverEndsComesInPieces() throws InterruptedException {
        server.says("x".repeat(TextStream.LONGEST + 1));
        assertThat(text.next()).hasSize(TextStream.LONGEST);
    }

    @Test
    void closingLeavesTheServerAlone() throws InterruptedException {
        text.close();
        assertThat(server.cancelled).isTrue();
        assertThat(text.next()).isNull();
    }
}
