package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Streams echo what they hear until their end. */
class SpdySessionTest {
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Socket server;
    private Socket socket;
    private TestingSpdy client;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
            server = listener.accept();
        }
        client = new TestingSpdy(socket.getInputStream(), socket.getOutputStream());
        SpdySession session = new SpdySession(server.getInputStream(), server.getOutputStream(), this::echo);
        Thread.startVirtualThread(() -> {
            try (session) {
                session.run();
                ended.complete(null);
            } catch (IOException e) {
                ended.completeExceptionally(e);
            }
        });
    }

    @AfterEach
    void disconnect() throws IOException {
        socket.close();
        server.close();
    }

    private boolean echo(SpdyStream stream) {
        if (stream.header("kind").equals("refused")) {
            return false;
        }
        Thread.startVirtualThread(() -> {
            try (var out = stream.output()) {
                stream.input().transferTo(out);
            } catch (IOException e) {
                // The client is gone.
            }
        });
        return true;
    }

    @Test
    void aStreamIsAnsweredAndCarriesBytesBothWays() throws IOException {
        client.open(1, Map.of("kind", "echo"));
        client.say(1, "hello ", false);
        client.say(1, "world", true);

        assertThat(client.next().type()).isEqualTo(TestingSpdy.SYN_REPLY);
        assertThat(client.all(1)).isEqualTo("hello world");
    }

    @Test
    void streamsDoNotDisturbEachOther() throws IOException {
        for (int stream = 1; stream < 100; stream += 2) {
            client.open(stream, Map.of("kind", "echo"));
        }
        client.say(99, "late", true);
        assertThat(client.all(99)).isEqualTo("late");
        client.say(1, "early", true);
        assertThat(client.all(1)).isEqualTo("early");
    }

    @Test
    void aRefusedStreamIsReset() throws IOException {
        client.open(1, Map.of("kind", "refused"));

        client.next();
        assertThat(client.next().type()).isEqualTo(TestingSpdy.RST_STREAM);
    }

    @Test
    void pingsOfTheClientComeBack() throws IOException {
        byte[] id = ByteBuffer.allocate(4).putInt(7).array();
        client.control(3, TestingSpdy.PING, id);

        TestingSpdy.Frame frame = client.next();
        assertThat(frame.type()).isEqualTo(TestingSpdy.PING);
        assertThat(frame.payload()).isEqualTo(id);
    }

    @Test
    void thereAreOnlySoManyStreamsAtOnce() throws IOException {
        for (int i = 0; i <= SpdySession.MOST_STREAMS; i++) {
            client.open(2 * i + 1, Map.of());
            int type = client.next().type();
            assertThat(type).isEqualTo(i < SpdySession.MOST_STREAMS ? TestingSpdy.SYN_REPLY : TestingSpdy.RST_STREAM);
        }
    }

    @Test
    void headersThatUnpackToMuchMoreThanTheyAreEndTheConnection() throws Exception {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        deflater.setInput(new byte[20 << 20]);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int count = deflater.deflate(buffer); count > 0; count = deflater.deflate(buffer)) {
            packed.write(buffer, 0, count);
        }
        deflater.end();

        client.open(1, packed.toByteArray());

        assertEnded("the headers are too long");
    }

    @Test
    void whoSpeaksSomethingElseIsSentAway() throws Exception {
        client.control(2, TestingSpdy.PING, new byte[4]);

        assertEnded("not SPDY/3.1");
        assertThat(client.next().type()).isEqualTo(TestingSpdy.GOAWAY);
    }

    @Test
    void numbersOfStreamsOnlyGrow() throws Exception {
        client.open(5, Map.of());
        client.open(3, Map.of());

        assertEnded("a stream of number 3");
    }

    @Test
    void aHugeFrameIsNotReadIntoMemory() throws Exception {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(8)
                        .putInt(1 << 31 | 3 << 16 | 8)
                        .putInt(0xff_ffff)
                        .array());

        assertEnded("a frame of 16777215 bytes");
    }

    @Test
    void dataForStreamsThatAreNotThereIsDropped() throws IOException {
        client.say(77, "nobody", true);
        client.open(79, Map.of());
        client.say(79, "somebody", true);

        assertThat(client.all(79)).isEqualTo("somebody");
    }

    private void assertEnded(String message) {
        assertThatThrownBy(() -> ended.get(60, TimeUnit.SECONDS)).hasRootCauseMessage(message);
    }
}
