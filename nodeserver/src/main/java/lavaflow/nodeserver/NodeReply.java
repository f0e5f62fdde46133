package lavaflow.nodeserver;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The answer to one request. Used by one thread. */
final class NodeReply {
    private final OutputStream out;
    private final boolean keepAlive;
    private final boolean headOnly;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private boolean begun;

    NodeReply(OutputStream out, boolean keepAlive, boolean headOnly) {
        this.out = out;
        this.keepAlive = keepAlive;
        this.headOnly = headOnly;
    }

    void header(String name, String value) {
        headers.put(name, value.replaceAll("[\\r\\n]", " "));
    }

    boolean hasBegun() {
        return begun;
    }

    void text(int code, String text) throws IOException {
        send(code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    void json(byte[] body) throws IOException {
        send(200, "application/json", body);
    }

    void send(int code, String type, byte[] body) throws IOException {
        header("Content-Type", type);
        header("Content-Length", Integer.toString(body.length));
        head(code);
        if (!headOnly) {
            out.write(body);
        }
        out.flush();
    }

    /** An answer of unknown length, begun with its first byte or its end; closing it ends the answer. */
    OutputStream stream(String type) {
        return new Chunks(type);
    }

    /** From here on another protocol is spoken. */
    void switchTo(String protocol) throws IOException {
        begun = true;
        StringBuilder head = new StringBuilder("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ");
        head.append(protocol).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private void head(int code) throws IOException {
        begun = true;
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(code).append(' ').append(phrase(code)).append("\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append(keepAlive ? "\r\n" : "Connection: close\r\n\r\n");
        out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String phrase(int code) {
        return switch (code) {
            case 200 -> "OK";
            case 301 -> "Moved Permanently";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 500 -> "Internal Server Error";
            default -> "Status";
        };
    }

    private final class Chunks extends OutputStream {
        private final String type;
        private boolean closed;

        Chunks(String type) {
            this.type = type;
        }

        private void begin() throws IOException {
            if (!begun) {
                header("Content-Type", type);
                header("Transfer-Encoding", "chunked");
                head(200);
            }
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            begin();
            if (length > 0 && !headOnly) {
                out.write((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
                out.write(bytes, offset, length);
                out.write(new byte[] {'\r', '\n'});
            }
        }

        /** Those who wait for the first word shall know that they may. */
        @Override
        public void flush() throws IOException {
            begin();
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                begin();
                if (!headOnly) {
                    out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                }
                out.flush();
            }
        }
    }
}
