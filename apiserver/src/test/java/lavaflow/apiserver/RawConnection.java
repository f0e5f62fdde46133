package lavaflow.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A connection on which anything can be said, well-formed or not. */
final class RawConnection implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int CONTINUATION = 9;

    private final SSLSocket socket;
    private final OutputStream out;
    private final DataInputStream in;

    RawConnection(SSLContext context, int port, String protocol) throws IOException {
        socket = (SSLSocket) context.getSocketFactory()
                .createSocket(new Socket(InetAddress.getLoopbackAddress(), port), "127.0.0.1", port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {protocol});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(120_000);
        socket.startHandshake();
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    /** Says something. */
    RawConnection say(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return this;
    }

    /** Everything the server says until it closes, or until it has nothing more to say. */
    String heard() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                all.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // A reset is an end as well.
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** What the server says up to some words, which must come. */
    String until(String words) throws IOException {
        StringBuilder heard = new StringBuilder();
        while (!heard.toString().endsWith(words)) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the end after: " + heard);
            }
            heard.append((char) next);
        }
        return heard.toString();
    }

    /** The first line of the answer. */
    String statusLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    /** Begins to speak HTTP/2. */
    RawConnection preface() throws IOException {
        say("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        frame(SETTINGS, 0, 0, new byte[0]);
        return this;
    }

    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        byte[] frame = new byte[9 + payload.length];
        frame[0] = (byte) (payload.length >> 16);
        frame[1] = (byte) (payload.length >> 8);
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[4] = (byte) flags;
        frame[5] = (byte) (stream >> 24);
        frame[6] = (byte) (stream >> 16);
        frame[7] = (byte) (stream >> 8);
        frame[8] = (byte) stream;
        System.arraycopy(payload, 0, frame, 9, payload.length);
        out.write(frame);
    }

    /** A compressed GET of the path /version. */
    static byte[] request() {
        byte[] path = "/version".getBytes(StandardCharsets.US_ASCII);
        byte[] block = new byte[5 + path.length + 11];
        block[0] = (byte) 0x82;
        block[1] = (byte) 0x87;
        block[2] = 0x04;
        block[3] = (byte) path.length;
        System.arraycopy(path, 0, block, 4, path.length);
        int at = 4 + path.length;
        block[at++] = 0x01;
        block[at++] = 9;
        System.arraycopy("localhost".getBytes(StandardCharsets.US_ASCII), 0, block, at, 9);
        return java.util.Arrays.copyOf(block, at + 9);
    }

    /** Repeats frames until the server hangs up; false where it took them all. */
    boolean isCutOff(int most, Frames frames) {
        Thread reader = Thread.ofVirtual().start(this::heard);
        try {
            for (int i = 0; i < most; i++) {
                frames.write(i);
                if (i % 50 == 0) {
                    out.flush();
                }
                if (!reader.isAlive()) {
                    return true;
                }
            }
            out.flush();
            return reader.join(java.time.Duration.ofMinutes(2));
        } catch (IOException e) {
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes the frames of one round to any connection. */
    interface Flood {
        void write(RawConnection connection, int round) throws IOException;
    }

    /** Writes the frames of one round. */
    interface Frames {
        void write(int round) throws IOException;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
