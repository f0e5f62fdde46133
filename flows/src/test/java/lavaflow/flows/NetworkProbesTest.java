package lavaflow.flows;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class NetworkProbesTest {
    private static final String HOST = "127.0.0.1";

    private final NetworkProbes probes = new NetworkProbes();

    /** Answers one request. */
    private interface Answer {
        void to(OutputStream out) throws IOException, InterruptedException;
    }

    /** Listens until it is closed, and remembers what was asked. */
    private static final class Pod implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

        Pod(Answer answer) throws IOException {
            Thread.startVirtualThread(() -> {
                while (!server.isClosed()) {
                    try (Socket socket = server.accept()) {
                        asked.add(head(socket.getInputStream()));
                        answer.to(socket.getOutputStream());
                    } catch (IOException | InterruptedException _) {
                        // whoever asked has left
                    }
                }
            });
        }

        private static String head(InputStream in) throws IOException {
            StringBuilder text = new StringBuilder();
            while (!text.toString().endsWith("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    break;
                }
                text.append((char) next);
            }
            return text.toString();
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }

    private static Answer text(String text) {
        return out -> out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 200 OK,true",
        "HTTP/1.0 204,true",
        "HTTP/1.1 302 Found,true",
        "HTTP/1.1 404 Not Found,false",
        "HTTP/1.1 503 Busy,false",
        "HTTP/1.1 100 Continue,false",
        "SSH-2.0-OpenSSH_9.2,false",
        "HTTP/1.1 20,false"
    })
    void aPodAnswersWithAnythingFrom200To399(String line, boolean answers) throws IOException {
        try (Pod pod = new Pod(text(line + "\r\nContent-Length: 0\r\n\r\n"))) {
            assertThat(probes.answers(HOST, pod.port(), "/", Map.of())).isEqualTo(answers);
        }
    }

    @Test
    void itIsAskedWithPathAndHeaders() throws IOException, InterruptedException {
        try (Pod pod = new Pod(text("HTTP/1.1 200 OK\r\n\r\n"))) {
            assertThat(probes.answers(HOST, pod.port(), "ready now?/ü", Map.of("X-Token", "a", "host", "train")))
                    .isTrue();
            assertThat(pod.asked.take())
                    .isEqualTo("GET /ready%20now%3F/%C3%BC HTTP/1.1\r\nAccept: */*\r\nConnection: close\r\nHost:"
                            + " train\r\nX-Token: a\r\n\r\n");
        }
    }

    @Test
    void headersThatWouldBeOthersAreNotSent() throws IOException {
        try (Pod pod = new Pod(text("HTTP/1.1 200 OK\r\n\r\n"))) {
            assertThat(probes.answers(HOST, pod.port(), "/", Map.of("X-A", "b\r\nX-C: d")))
                    .isFalse();
            assertThat(probes.answers(HOST, pod.port(), "/", Map.of("X-A: b", "c")))
                    .isFalse();
            assertThat(pod.asked).isEmpty();
        }
    }

    @Test
    @Timeout(60)
    void whoAnswersLetterByLetterIsNotWaitedFor() throws IOException {
        Answer slow = out -> {
            while (true) {
                out.write('H');
                out.flush();
                Thread.sleep(50); // a server as slow as those that nobody should wait for
            }
        };
        try (Pod pod = new Pod(slow)) {
            assertThat(probes.answers(HOST, pod.port(), "/", Map.of())).isFalse();
        }
    }

    @Test
    void whoListensAndSaysNothingAcceptsAndDoesNotAnswer() throws IOException {
        try (Pod pod = new Pod(text(""))) {
            assertThat(probes.accepts(HOST, pod.port())).isTrue();
            assertThat(probes.answers(HOST, pod.port(), "/", Map.of())).isFalse();
        }
    }

    @Test
    void whoDoesNotListenDoesNotAnswer() throws IOException {
        try (Socket taken = new Socket()) { // its port is nobody else's meanwhile
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThat(probes.accepts(HOST, taken.getLocalPort())).isFalse();
            assertThat(probes.answers(HOST, taken.getLocalPort(), "/", Map.of()))
                    .isFalse();
        }
    }
}
