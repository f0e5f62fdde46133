package lavaflow.remote;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/**
 * Text of a server that comes line by line, perhaps for a long time: the log of a container. One thread reads it; whoever reads slowly slows
 * down who sends.
 */
public final class TextStream implements AutoCloseable {
    /** So many lines may wait for their reader. */
    static final int READ_AHEAD = 1000;

    /** What is longer is shown in pieces: a program that draws over its own line may never end it. */
    static final int LONGEST = 64 << 10;

    private final Deque<String> lines = new ArrayDeque<>();
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private Streams.@Nullable Stream stream;
    private @Nullable ApiException failure;
    private boolean ended;
    private boolean full;

    TextStream() {}

    /** Begins to read; what opens it tells this one everything. */
    static TextStream of(Streams streams, String path) {
        TextStream text = new TextStream();
        Streams.Stream opened = streams.open(path, "*/*", text.new Ears());
        text.opened(opened);
        return text;
    }

    private synchronized void opened(Streams.Stream opened) {
        stream = opened;
        if (full && lines.size() < READ_AHEAD) {
            full = false;
            opened.more();
        }
    }

    private final class Ears implements Streams.Listener {
        @Override
        public void opened() {}

        @Override
        public boolean bytes(byte[] chunk) {
            return heard(chunk);
        }

        @Override
        public void ended(@Nullable ApiException why) {
            over(why);
        }
    }

    private synchronized boolean heard(byte[] chunk) {
        for (byte each : chunk) {
            if (each == '\n' || begun.size() >= LONGEST) {
                lines.add(begun.toString(StandardCharsets.UTF_8));
                begun.reset();
            }
            if (each != '\n') {
                begun.write(each);
            }
        }
        notifyAll();
        full = lines.size() >= READ_AHEAD;
        return !full;
    }

    private synchronized void over(@Nullable ApiException why) {
        if (!ended) {
            ended = true;
            failure = why;
            if (begun.size() > 0) {
                lines.add(begun.toString(StandardCharsets.UTF_8));
                begun.reset();
            }
            notifyAll();
        }
    }

    /** The next line, without its end; null after the last. Fails after the last line if the server did not end it by itself. */
    public synchronized @Nullable String next() throws InterruptedException {
        while (lines.isEmpty() && !ended) {
            wait();
        }
        String line = lines.poll();
        if (full && lines.size() < READ_AHEAD / 2 && stream != null) {
            full = false;
            stream.more();
        }
        if (line == null && failure != null) {
            throw failure;
        }
        return line;
    }

    /** Whoever waits for a line gets none. */
    @Override
    public void close() {
        Streams.Stream open;
        synchronized (this) {
            ended = true;
            notifyAll();
            open = stream;
        }
        if (open != null) {
            open.cancel();
        }
    }
}
