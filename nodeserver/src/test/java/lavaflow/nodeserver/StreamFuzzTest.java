package lavaflow.nodeserver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Any bytes of a client are streams, messages or the end of the connection, within bounds.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class StreamFuzzTest {
    @FuzzTest(maxDuration = "2m")
    void spdy(byte[] input) {
        try (SpdySession session =
                new SpdySession(new ByteArrayInputStream(input), OutputStream.nullOutputStream(), stream -> {
                    stream.input().close();
                    return stream.id() % 3 != 0;
                })) {
            session.run();
        } catch (IOException e) {
            requireMessage(e);
        }
    }

    @FuzzTest(maxDuration = "2m")
    void webSocket(byte[] input) {
        WebSocket socket = new WebSocket(new ByteArrayInputStream(input), OutputStream.nullOutputStream());
        ChannelSocket channels = new ChannelSocket(socket, input.length % 2 == 1, true);
        channels.input(0).close();
        try {
            channels.run();
        } catch (IOException e) {
            requireMessage(e);
        }
    }

    @FuzzTest(maxDuration = "2m")
    void requests(byte[] input) {
        try {
            NodeRequest request = NodeRequest.read(new ByteArrayInputStream(input));
            if (request != null) {
                NodeRoutes.wish(request);
            }
        } catch (IOException e) {
            requireMessage(e);
        }
    }

    /** The end of the input needs no words. */
    private static void requireMessage(IOException e) {
        if (!(e instanceof java.io.EOFException)
                && (e.getMessage() == null || e.getMessage().isEmpty())) {
            throw new AssertionError("a refusal without a word", e);
        }
    }
}
