package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** A command whose client opens a SPDY stream for each of its streams, each with its kind in a header. */
final class CommandOverSpdy {
    /** What a server speaks, the best first; the empty one is the oldest. */
    static final List<String> PROTOCOLS = List.of(
            "v5.channel.k8s.io", "v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io");

    private static final int CREATION_SECONDS = 30;

    private final String protocol;
    private final NodeView.StreamRequest wishes;
    private final CountDownLatch missing;
    /** Guarded by itself. */
    private final Map<String, SpdyStream> streams = new LinkedHashMap<>();

    private volatile Runnable leave = () -> {};
    private volatile boolean left;

    CommandOverSpdy(String protocol, NodeView.StreamRequest wishes) {
        this.protocol = protocol;
        this.wishes = wishes;
        int expected = 1;
        expected += wishes.stdin() ? 1 : 0;
        expected += wishes.stdout() ? 1 : 0;
        expected += wishes.stderr() ? 1 : 0;
        expected += hasSizes() ? 1 : 0;
        missing = new CountDownLatch(expected);
    }

    private boolean hasSizes() {
        return wishes.tty() && !protocol.equals("v2.channel.k8s.io") && !protocol.equals("channel.k8s.io");
    }

    void hold(InputStream in, OutputStream out, RemoteCommand command) throws IOException {
        SpdySession session = new SpdySession(in, out, this::opened);
        Thread reader = Thread.ofVirtual().name("spdy").start(() -> {
            try {
                session.run();
            } catch (IOException e) {
                // The client is gone, or speaks something else.
            } finally {
                left = true;
                leave.run();
            }
        });
        try {
            if (missing.await(CREATION_SECONDS, TimeUnit.SECONDS)) {
                command.run(commandStreams(), this::onLeave);
            }
            session.goAway();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Drain.end(in, out, reader);
            session.close();
        }
    }

    private void onLeave(Runnable action) {
        leave = action;
        if (left) {
            action.run();
        }
    }

    private boolean opened(SpdyStream stream) {
        String type = stream.header("streamtype");
        boolean wanted = switch (type) {
            case "error" -> true;
            case "stdin" -> wishes.stdin();
            case "stdout" -> wishes.stdout();
            case "stderr" -> wishes.stderr();
            case "resize" -> hasSizes();
            default -> false;
        };
        synchronized (streams) {
            if (!wanted || streams.putIfAbsent(type, stream) != null) {
                return false;
            }
        }
        boolean fromClient = type.equals("stdin") || type.equals("resize");
        if (!fromClient) {
            stream.input().close();
        }
        missing.countDown();
        return true;
    }

    private CommandStreams commandStreams() {
        SpdyStream error = find("error");
        if (error == null) {
            throw new IllegalStateException("no error stream"); // counted before
        }
        SpdyStream stdin = find("stdin");
        SpdyStream sizes = find("resize");
        return new CommandStreams(
                stdin == null ? null : stdin.input(),
                output("stdout"),
                output("stderr"),
                sizes == null ? null : sizes.input(),
                error.output(),
                protocol.startsWith("v4") || protocol.startsWith("v5"));
    }

    private @Nullable OutputStream output(String type) {
        SpdyStream stream = find(type);
        return stream == null ? null : stream.output();
    }

    private @Nullable SpdyStream find(String type) {
        synchronized (streams) {
            return streams.get(type);
        }
    }
}
