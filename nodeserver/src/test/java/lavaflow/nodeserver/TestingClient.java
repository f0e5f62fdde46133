package lavaflow.nodeserver;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;

/** A connection to a node's server on which anything can be said. */
final class TestingClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    TestingClient(SSLContext context, int port) throws IOException {
        socket = context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(90_000);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    InputStream in() {
        return in;
    }

    OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    void say(String text) throws IOException {
        out().write(text.getBytes(StandardCharsets.ISO_8859_1));
        out().flush();
    }

    /** The head of an answer, to the empty line. */
    String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the end after: " + head);
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Asks, and reads the whole answer: its code, a space, and its body. */
    String ask(String method, String path, String... headers) throws IOException {
        say(method + " " + path + " HTTP/1.1\r\nHost: x\r\n"
                + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n");
        String head = head();
        String code = head.split(" ", -1)[1];
        if (head.contains("Transfer-Encoding: chunked")) {
            return code + " " + chunks();
        }
        int begin = head.indexOf("Content-Length: ") + 16;
        int length = Integer.parseInt(head.substring(begin, head.indexOf('\r', begin)));
        return code + " " + new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private String chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            StringBuilder size = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                size.append((char) c);
            }
            int length = Integer.parseInt(size.toString().strip(), 16);
            body.write(in.readNBytes(length));
            in.readNBytes(2);
            if (length == 0) {
                return body.toString(StandardCharsets.UTF_8);
            }
        }
    }

    /** Changes to a WebSocket; the head of the answer. */
    String webSocket(String path, String protocol) throws IOException {
        say("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + (protocol.isEmpty() ? "" : "Sec-WebSocket-Protocol: " + protocol + "\r\n") + "\r\n");
        return head();
    }

    /** Changes to SPDY; the head of the answer. */
    String spdy(String path, String... protocols) throws IOException {
        StringBuilder versions = new StringBuilder();
        for (String protocol : protocols) {
            versions.append("X-Stream-Protocol-Version: ").append(protocol).append("\r\n");
        }
        say("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n" + versions
                + "Content-Length: 0\r\n\r\n");
        return head();
    }

    /** Sends a message, masked with zeros. */
    void message(boolean text, byte... bytes) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(text ? 0x81 : 0x82);
        frame.write(0x80 | bytes.length);
        frame.writeBytes(new byte[4]);
        frame.writeBytes(bytes);
        out().write(frame.toByteArray());
        out().flush();
    }

    /** The next message; null for the end. */
    byte @org.jspecify.annotations.Nullable [] message() throws IOException {
        int first = in.read();
        int length = first < 0 ? -1 : in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        }
        boolean closed = first < 0 || (first & 0x0f) == 8;
        return closed ? null : in.readNBytes(length);
    }

    /** Everything a channel says until the end. */
    String[] channels() throws IOException {
        StringBuilder[] said = {
            new StringBuilder(), new StringBuilder(), new StringBuilder(), new StringBuilder(), new StringBuilder()
        };
        for (byte[] message = message(); message != null; message = message()) {
            said[message[0] & 7].append(new String(message, 1, message.length - 1, StandardCharsets.UTF_8));
        }
        String[] texts = new String[said.length];
        for (int i = 0; i < said.length; i++) {
            texts[i] = said[i].toString();
        }
        return texts;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
