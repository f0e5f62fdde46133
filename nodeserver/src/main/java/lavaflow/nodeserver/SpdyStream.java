package lavaflow.nodeserver;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** One stream of a SPDY connection, begun by the client: bytes both ways, each way ending for itself. */
final class SpdyStream {
    private final SpdySession session;
    private final int id;
    private final Map<String, String> headers;
    private final ByteQueue input = new ByteQueue();
    private final OutputStream output = new Output();
    private boolean finished;
    private boolean clientFinished;
    private volatile boolean reset;
    private volatile Runnable onReset = () -> {};

    SpdyStream(SpdySession session, int id, Map<String, String> headers) {
        this.session = session;
        this.id = id;
        this.headers = headers;
    }

    int id() {
        return id;
    }

    /** The value of a header, empty where there is none. */
    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    ByteQueue input() {
        return input;
    }

    /** Closing it ends this direction. */
    OutputStream output() {
        return output;
    }

    /** Ends both directions at once. */
    void reset() throws IOException {
        session.reset(this);
    }

    /** The client gave the stream up. */
    void wasReset() {
        reset = true;
        input.fail(new IOException("the stream was reset"));
        onReset.run();
    }

    /** Runs when the stream is given up, at once if it has been. */
    void onReset(Runnable action) {
        onReset = action;
        if (reset) {
            action.run();
        }
    }

    boolean isReset() {
        return reset;
    }

    /** What the client said about the end of its direction; both answer whether the stream is over. */
    boolean clientFinishes() {
        clientFinished = true;
        input.end();
        return finished;
    }

    boolean finishes() {
        finished = true;
        return clientFinished;
    }

    boolean isClientFinished() {
        return clientFinished;
    }

    private final class Output extends OutputStream {
        private boolean closed;

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (closed) {
                throw new IOException("the stream is closed");
            }
            session.data(SpdyStream.this, bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                session.finish(SpdyStream.this);
            }
        }
    }
}
