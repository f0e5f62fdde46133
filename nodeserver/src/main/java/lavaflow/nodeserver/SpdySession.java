package lavaflow.nodeserver;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The server's side of a SPDY/3.1 connection. One thread reads ({@link #run}); any may write.
 *
 * <p>Windows of clients are not counted: those of Go, all we know, have none and would never open one again. What is read is
 * acknowledged to clients that count, which shows; the others must not make the thread that reads wait until they read themselves.
 */
final class SpdySession implements AutoCloseable {
    private static final int VERSION = 3;
    private static final int SYN_STREAM = 1;
    private static final int SYN_REPLY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int HEADERS = 8;
    private static final int WINDOW_UPDATE = 9;

    private static final int FIN = 1;
    private static final int PROTOCOL_ERROR = 1;
    private static final int REFUSED = 3;
    private static final int CANCEL = 5;

    /** Streams at once; a port-forward takes two for each connection. */
    static final int MOST_STREAMS = 512;

    private static final int MOST_CONTROL = 32 << 10;
    private static final int PIECE = 32 << 10;

    /** Hears of new streams, on the thread that reads; false refuses one. */
    interface Listener {
        boolean opened(SpdyStream stream) throws IOException;
    }

    private final DataInputStream in;
    private final OutputStream out;
    private final Listener listener;
    private final SpdyHeaders headers = new SpdyHeaders();
    private final ReentrantLock writing = new ReentrantLock();
    /** Guarded by itself. */
    private final Map<Integer, SpdyStream> streams = new HashMap<>();

    private int lastStream;
    private boolean counting;
    private boolean closed;

    SpdySession(InputStream in, OutputStream out, Listener listener) {
        this.in = new DataInputStream(in);
        this.out = out;
        this.listener = listener;
    }

    /** Reads until the client leaves or says something wrong; every stream is over then. */
    void run() throws IOException {
        IOException end = new EOFException("the connection was closed");
        try {
            while (frame()) {
                // until there is none
            }
        } catch (SpdyException e) {
            end = e;
            say(
                    GOAWAY,
                    ByteBuffer.allocate(8)
                            .putInt(lastStream)
                            .putInt(PROTOCOL_ERROR)
                            .array());
            throw e;
        } finally {
            for (SpdyStream stream : all()) {
                stream.input().fail(end);
            }
        }
    }

    private List<SpdyStream> all() {
        synchronized (streams) {
            return new ArrayList<>(streams.values());
        }
    }

    private boolean frame() throws IOException {
        int first = in.read();
        if (first < 0) {
            return false;
        }
        int word = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int flags = in.readUnsignedByte();
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        if (word >= 0) {
            data(word, flags, length);
            return true;
        }
        if ((word >> 16 & 0x7fff) != VERSION) {
            throw new SpdyException("not SPDY/3.1");
        }
        if (length > MOST_CONTROL) {
            throw new SpdyException("a frame of " + length + " bytes");
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        return control(word & 0xffff, flags, payload);
    }

    private boolean control(int type, int flags, byte[] payload) throws IOException {
        ByteBuffer content = ByteBuffer.wrap(payload);
        switch (type) {
            case SYN_STREAM -> open(content, flags);
            case RST_STREAM -> {
                SpdyStream stream = remove(number(content));
                if (stream != null) {
                    stream.wasReset();
                }
            }
            case PING -> {
                int id = number(content);
                if ((id & 1) == 1) {
                    say(PING, ByteBuffer.allocate(4).putInt(id).array());
                }
            }
            case HEADERS -> {
                number(content);
                headers.read(rest(content)); // the text goes on where it ended, wanted or not
            }
            case SYN_REPLY -> throw new SpdyException("an answer to nothing");
            case GOAWAY -> {
                return false;
            }
            case SETTINGS, WINDOW_UPDATE -> counting = true;
            default -> {}
        }
        return true;
    }

    private static int number(ByteBuffer content) throws SpdyException {
        if (content.remaining() < 4) {
            throw new SpdyException("a frame breaks off");
        }
        return content.getInt() & 0x7fff_ffff;
    }

    private static byte[] rest(ByteBuffer content) {
        byte[] rest = new byte[content.remaining()];
        content.get(rest);
        return rest;
    }

    private void open(ByteBuffer content, int flags) throws IOException {
        int id = number(content);
        number(content);
        if (content.remaining() < 2) {
            throw new SpdyException("a frame breaks off");
        }
        content.getShort();
        SpdyStream stream = new SpdyStream(this, id, headers.read(rest(content)));
        if ((id & 1) == 0 || id <= lastStream) {
            throw new SpdyException("a stream of number " + id);
        }
        lastStream = id;
        boolean room;
        synchronized (streams) {
            room = streams.size() < MOST_STREAMS;
            if (room) {
                streams.put(id, stream);
            }
        }
        if (!room) {
            reset(id, REFUSED);
            return;
        }
        if ((flags & FIN) != 0) {
            stream.clientFinishes();
        }
        reply(id);
        if (!listener.opened(stream)) {
            remove(id);
            stream.wasReset();
            reset(id, REFUSED);
        }
    }

    private void reply(int id) throws IOException {
        writing.lock();
        try {
            // The order of frames is the order of the compressed text.
            byte[] none = headers.write(Map.of());
            say(
                    SYN_REPLY,
                    ByteBuffer.allocate(4 + none.length).putInt(id).put(none).array());
        } finally {
            writing.unlock();
        }
    }

    private @Nullable SpdyStream remove(int id) {
        synchronized (streams) {
            return streams.remove(id);
        }
    }

    private @Nullable SpdyStream find(int id) {
        synchronized (streams) {
            return streams.get(id);
        }
    }

    private void data(int id, int flags, int length) throws IOException {
        SpdyStream stream = find(id);
        int left = length;
        while (left > 0) {
            byte[] piece = new byte[Math.min(left, PIECE)];
            in.readFully(piece);
            left -= piece.length;
            if (stream != null && !stream.isClientFinished()) {
                stream.input().put(piece);
            }
        }
        if (stream != null && length > 0 && counting) {
            acknowledge(id, length);
        }
        if (stream != null && (flags & FIN) != 0 && stream.clientFinishes()) {
            remove(id);
        }
    }

    private void acknowledge(int id, int length) throws IOException {
        say(WINDOW_UPDATE, ByteBuffer.allocate(8).putInt(id).putInt(length).array());
        say(WINDOW_UPDATE, ByteBuffer.allocate(8).putInt(0).putInt(length).array());
    }

    void data(SpdyStream stream, byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int count = Math.min(PIECE, length - done);
            if (stream.isReset()) {
                throw new IOException("the stream was reset");
            }
            writing.lock();
            try {
                out.write(head(stream.id(), 0, count));
                out.write(bytes, offset + done, count);
                out.flush();
            } finally {
                writing.unlock();
            }
            done += count;
        }
    }

    void finish(SpdyStream stream) throws IOException {
        if (stream.isReset()) {
            return;
        }
        writing.lock();
        try {
            out.write(head(stream.id(), FIN, 0));
            out.flush();
        } finally {
            writing.unlock();
        }
        if (stream.finishes()) {
            remove(stream.id());
        }
    }

    void reset(SpdyStream stream) throws IOException {
        if (remove(stream.id()) != null) {
            stream.wasReset();
            reset(stream.id(), CANCEL);
        }
    }

    private void reset(int id, int status) throws IOException {
        say(RST_STREAM, ByteBuffer.allocate(8).putInt(id).putInt(status).array());
    }

    private static byte[] head(int word, int flags, int length) {
        return ByteBuffer.allocate(8).putInt(word).putInt(flags << 24 | length).array();
    }

    private void say(int type, byte[] payload) throws IOException {
        writing.lock();
        try {
            out.write(head(1 << 31 | VERSION << 16 | type, 0, payload.length));
            out.write(payload);
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    /** Says that there is nothing more to come. */
    void goAway() throws IOException {
        say(GOAWAY, ByteBuffer.allocate(8).putInt(lastStream).putInt(0).array());
    }

    /** Frees what only {@link #run} and writers use: call it when they are done. */
    @Override
    public void close() {
        writing.lock();
        try {
            if (!closed) {
                closed = true;
                headers.close();
            }
        } finally {
            writing.unlock();
        }
    }
}
