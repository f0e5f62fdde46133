package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** The server's side of a WebSocket (RFC 6455). One thread receives; any may send. */
final class WebSocket {
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int MOST_MESSAGE = 4 << 20;
    private static final int MOST_CONTROL = 125;

    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private static final int NORMAL = 1000;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int TOO_BIG = 1009;

    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock sending = new ReentrantLock();
    private boolean closed;

    WebSocket(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = out;
    }

    /** What a server answers to the client's key. */
    static String accept(String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1").digest((key + MAGIC).getBytes(StandardCharsets.ISO_8859_1));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Frame(boolean last, int code, byte[] payload) {}

    /** The next message, text or binary; null when the client says goodbye or is gone. Answers pings meanwhile. */
    byte @Nullable [] receive() throws IOException {
        ByteArrayOutputStream message = null;
        while (true) {
            Frame frame = frame(message == null ? 0 : message.size());
            if (frame == null) {
                return null;
            }
            switch (frame.code()) {
                case CLOSE -> {
                    close(NORMAL);
                    return null;
                }
                case PING -> send(PONG, frame.payload(), 0, frame.payload().length);
                case PONG -> {}
                case TEXT, BINARY -> {
                    if (message != null) {
                        throw refuse(PROTOCOL_ERROR, "a message within a message");
                    }
                    if (frame.last()) {
                        return frame.payload();
                    }
                    message = new ByteArrayOutputStream();
                    message.writeBytes(frame.payload());
                }
                case CONTINUATION -> {
                    if (message == null) {
                        throw refuse(PROTOCOL_ERROR, "the middle of no message");
                    }
                    message.writeBytes(frame.payload());
                    if (frame.last()) {
                        return message.toByteArray();
                    }
                }
                default -> throw refuse(PROTOCOL_ERROR, "an unknown frame");
            }
        }
    }

    private @Nullable Frame frame(int before) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int second = in.readUnsignedByte();
        int code = first & 0x0f;
        boolean last = (first & 0x80) != 0;
        if ((first & 0x70) != 0 || (second & 0x80) == 0) {
            throw refuse(PROTOCOL_ERROR, "an extension nobody agreed on, or no mask");
        }
        long length = second & 0x7f;
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        if (code >= CLOSE && (!last || length > MOST_CONTROL)) {
            throw refuse(PROTOCOL_ERROR, "a long control frame");
        }
        if (length < 0 || length > MOST_MESSAGE - before) {
            throw refuse(TOO_BIG, "a message of more than " + MOST_MESSAGE + " bytes");
        }
        int mask = in.readInt();
        byte[] payload = in.readNBytes((int) length);
        if (payload.length < length) {
            return null;
        }
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= (byte) (mask >> (24 - 8 * (i & 3)));
        }
        return new Frame(last, code, payload);
    }

    private ProtocolException refuse(int code, String why) {
        try {
            close(code);
        } catch (IOException e) {
            // It is gone; the reason stays the same.
        }
        return new ProtocolException(why);
    }

    void binary(byte[] bytes, int offset, int length) throws IOException {
        send(BINARY, bytes, offset, length);
    }

    void text(byte[] utf8) throws IOException {
        send(TEXT, utf8, 0, utf8.length);
    }

    private void send(int code, byte[] bytes, int offset, int length) throws IOException {
        sending.lock();
        try {
            if (closed) {
                throw new IOException("the WebSocket is closed");
            }
            closed = code == CLOSE;
            out.write(0x80 | code);
            if (length < 126) {
                out.write(length);
            } else if (length < 1 << 16) {
                out.write(new byte[] {126, (byte) (length >> 8), (byte) length});
            } else {
                out.write(new byte[] {
                    127, 0, 0, 0, 0, (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length
                });
            }
            out.write(bytes, offset, length);
            out.flush();
        } finally {
            sending.unlock();
        }
    }

    /** Says goodbye, once. */
    void close() throws IOException {
        close(NORMAL);
    }

    private void close(int code) throws IOException {
        sending.lock();
        try {
            if (!closed) {
                send(CLOSE, new byte[] {(byte) (code >> 8), (byte) code}, 0, 2);
            }
        } finally {
            sending.unlock();
        }
    }

    /** The payloads of all messages as one stream, for a protocol that has frames of its own. */
    InputStream asInput() {
        return new InputStream() {
            private byte[] message = new byte[0];
            private int next;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                while (next == message.length) {
                    byte[] received = receive();
                    if (received == null) {
                        return -1;
                    }
                    message = received;
                    next = 0;
                }
                int count = Math.min(length, message.length - next);
                System.arraycopy(message, next, into, offset, count);
                next += count;
                return count;
            }
        };
    }

    /** The other direction: a message is what is written until it is flushed. */
    OutputStream asOutput() {
        return new OutputStream() {
            private final ByteArrayOutputStream message = new ByteArrayOutputStream();

            @Override
            public void write(int one) {
                message.write(one);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                message.write(bytes, offset, length);
            }

            @Override
            public void flush() throws IOException {
                if (message.size() > 0) {
                    byte[] bytes = message.toByteArray();
                    message.reset();
                    binary(bytes, 0, bytes.length);
                }
            }
        };
    }
}
