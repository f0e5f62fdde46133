package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The client's side of SPDY/3.1, as little of it as tests need. */
final class TestingSpdy {
    static final int SYN_STREAM = 1;
    static final int SYN_REPLY = 2;
    static final int RST_STREAM = 3;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int DATA = -1;

    /** A frame as it came; data has the type {@link #DATA}. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Frame(int type, int stream, int flags, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }

        boolean last() {
            return (flags & 1) != 0;
        }
    }

    private final DataInputStream in;
    private final DataOutputStream out;
    private final SpdyHeaders headers = new SpdyHeaders();

    TestingSpdy(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = new DataOutputStream(out);
    }

    void open(int stream, Map<String, String> with) throws IOException {
        open(stream, headers.write(with));
    }

    /** With a header block of its own making. */
    void open(int stream, byte[] block) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream content = new DataOutputStream(bytes);
        content.writeInt(stream);
        content.writeInt(0);
        content.writeShort(0);
        content.write(block);
        control(3, SYN_STREAM, bytes.toByteArray());
    }

    void control(int version, int type, byte[] payload) throws IOException {
        out.writeInt(1 << 31 | version << 16 | type);
        out.writeInt(payload.length);
        out.write(payload);
        out.flush();
    }

    void say(int stream, String text, boolean last) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(stream);
        out.writeInt((last ? 1 : 0) << 24 | bytes.length);
        out.write(bytes);
        out.flush();
    }

    Frame next() throws IOException {
        int word = in.readInt();
        int rest = in.readInt();
        byte[] payload = new byte[rest & 0xff_ffff];
        in.readFully(payload);
        return word < 0
                ? new Frame(word & 0xffff, 0, rest >>> 24, payload)
                : new Frame(DATA, word, rest >>> 24, payload);
    }

    /** Everything a stream says to its end. */
    String all(int stream) throws IOException {
        StringBuilder text = new StringBuilder();
        while (true) {
            Frame frame = next();
            if (frame.type() == DATA && frame.stream() == stream) {
                text.append(frame.text());
                if (frame.last()) {
                    return text.toString();
                }
            }
        }
    }
}
