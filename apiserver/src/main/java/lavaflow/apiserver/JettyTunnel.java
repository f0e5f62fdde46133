package lavaflow.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/** A connection that left HTTP: bytes in both directions, read by one thread and written by one, each of which may block. */
final class JettyTunnel extends AbstractConnection implements Connection.UpgradeTo {
    private static final int BUFFER_BYTES = 16 << 10;

    private final Exchange.Tunnel conversation;
    private final Duration idle;
    private final AtomicBoolean begun = new AtomicBoolean();
    /** What came after the request, before the connection changed hands. */
    private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

    /** @param idle how long nothing may be said before the connection is closed */
    JettyTunnel(EndPoint connection, Executor executor, Duration idle, Exchange.Tunnel conversation) {
        super(connection, executor);
        this.idle = idle;
        this.conversation = conversation;
    }

    @Override
    public void onUpgradeTo(@Nullable ByteBuffer unread) {
        if (unread != null) {
            early = BufferUtil.copy(unread);
        }
    }

    @Override
    public void onOpen() {
        super.onOpen();
        getEndPoint().setIdleTimeout(idle.toMillis());
        if (!begun.compareAndSet(false, true)) {
            getEndPoint().close();
            return;
        }
        Thread.ofVirtual().name("tunnel").start(this::hold);
    }

    /** The client left before the connection changed hands. */
    void abandon() {
        if (begun.compareAndSet(false, true)) {
            conversation.abandoned();
        }
    }

    private void hold() {
        try {
            conversation.hold(new Input(), new Output());
        } catch (IOException e) {
            // One of the two left, which is how every such conversation ends.
        } finally {
            getEndPoint().close();
        }
    }

    /** Nothing is asked for that way; readers block. */
    @Override
    public void onFillable() {}

    private final class Input extends InputStream {
        private final ByteBuffer buffer = BufferUtil.allocate(BUFFER_BYTES);

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            ByteBuffer from = early.hasRemaining() ? early : buffer;
            while (!from.hasRemaining()) {
                BufferUtil.clear(buffer);
                int filled = getEndPoint().fill(buffer);
                if (filled < 0) {
                    return -1;
                }
                if (filled == 0) {
                    awaitBytes();
                }
            }
            int count = Math.min(length, from.remaining());
            from.get(bytes, offset, count);
            return count;
        }

        private void awaitBytes() throws IOException {
            try (Blocker.Callback readable = Blocker.callback()) {
                getEndPoint().fillInterested(readable);
                readable.block();
            }
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try (Blocker.Callback written = Blocker.callback()) {
                getEndPoint().write(written, ByteBuffer.wrap(bytes, offset, length));
                written.block();
            }
        }
    }
}
