package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import lavaflow.linux.Duplex;
import lavaflow.linux.OpenFile;
import lavaflow.linux.PacketSocket;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The streams of a container's own program, through its supervisor: each packet begins with the number of its stream. */
final class Attachment implements ProcessStreams {
    private static final Logger LOG = LoggerFactory.getLogger(Attachment.class);
    private static final int STDOUT = 2;
    private static final int STDERR = 3;
    /** What the supervisor reads at once. */
    private static final int LARGEST_PACKET = 8192;

    private final Path container;
    private final ReceivedStream stdout = new ReceivedStream();
    private final ReceivedStream stderr = new ReceivedStream();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final StreamWishes wishes;
    private final Duplex socket;
    private final OutputStream stdin;

    Attachment(Path container, Path socketPath, StreamWishes wishes) throws IOException {
        this.container = container;
        this.wishes = wishes;
        socket = PacketSocket.connect(socketPath, this::received, this::end);
        stdin = wishes.stdin() ? socket.output(LARGEST_PACKET, socket::endOutput) : OutputStream.nullOutputStream();
    }

    private void received(byte[] packet) {
        if (packet[0] == STDOUT && wishes.stdout()) {
            stdout.receive(packet, 1);
        } else if (packet[0] == STDERR && wishes.stderr()) {
            stderr.receive(packet, 1);
        }
    }

    private void end() {
        ended.countDown();
        stdout.end();
        stderr.end();
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public void resize(int columns, int rows) {
        try {
            control(container, "1 " + rows + " " + columns);
        } catch (IOException e) {
            LOG.debug("cannot resize", e);
        }
    }

    /** Tells a supervisor something. */
    static void control(Path container, String message) throws IOException {
        try (OpenFile pipe = OpenFile.writePipe(container.resolve("ctl"))) {
            pipe.send((message + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public int await() throws InterruptedException {
        ended.await();
        return 0;
    }

    @Override
    public void close() {
        stdout.close();
        stderr.close();
        socket.close();
    }
}
