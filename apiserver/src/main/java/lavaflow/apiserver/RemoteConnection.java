package lavaflow.apiserver;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import org.jspecify.annotations.Nullable;

/** One TLS connection to another API server, for one request and its answer, which is read as it comes. */
final class RemoteConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int MAX_HEADER = 256 << 10;

    /** The beginning of an answer. */
    record Head(int code, List<Map.Entry<String, String>> headers) {
        @Nullable
        String header(String name) {
            for (var header : headers) {
                if (header.getKey().equalsIgnoreCase(name)) {
                    return header.getValue();
                }
            }
            return null;
        }
    }

    private final Socket raw;
    private final InputStream in;
    private final OutputStream out;
    private int headerBytes;

    private RemoteConnection(Socket raw, SSLSocket socket) throws IOException {
        this.raw = raw;
        this.in = new BufferedInputStream(socket.getInputStream(), 32 << 10);
        this.out = socket.getOutputStream();
    }

    /** Dials the first address that answers. */
    static RemoteConnection open(List<InetSocketAddress> addresses, String serverName, SSLSocketFactory sockets)
            throws IOException {
        IOException failure = null;
        for (InetSocketAddress address : addresses) {
            Socket raw = new Socket();
            try {
                raw.setTcpNoDelay(true);
                raw.connect(address, CONNECT_MILLIS);
                SSLSocket tls = (SSLSocket) sockets.createSocket(raw, serverName, address.getPort(), true);
                SSLParameters parameters = tls.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(serverName)));
                tls.setSSLParameters(parameters);
                raw.setSoTimeout(CONNECT_MILLIS);
                tls.startHandshake();
                raw.setSoTimeout(0);
                return new RemoteConnection(raw, tls);
            } catch (IOException e) {
                raw.close();
                failure = e;
            }
        }
        throw failure == null ? new IOException("no addresses") : failure;
    }

    void timeout(int millis) throws IOException {
        raw.setSoTimeout(millis);
    }

    void write(String head) throws IOException {
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Sends a body of unknown length, chunk by chunk. */
    void writeChunked(InputStream body) throws IOException {
        byte[] buffer = new byte[16 << 10];
        for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
            if (read > 0) {
                write(Integer.toHexString(read) + "\r\n");
                out.write(buffer, 0, read);
                write("\r\n");
            }
        }
        write("0\r\n\r\n");
    }

    void flush() throws IOException {
        out.flush();
    }

    Head head() throws IOException {
        while (true) {
            headerBytes = 0;
            String status = line();
            if (!status.startsWith("HTTP/1.") || status.length() < 12) {
                throw new ProtocolException("malformed HTTP response");
            }
            int code = number(status.substring(9, 12), 10);
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (String header = line(); !header.isEmpty(); header = line()) {
                int colon = header.indexOf(':');
                if (colon < 1) {
                    throw new ProtocolException("malformed header");
                }
                headers.add(Map.entry(
                        header.substring(0, colon), header.substring(colon + 1).strip()));
            }
            if (code >= 200 || code == 101) {
                return new Head(code, headers);
            }
        }
    }

    /** Copies the body to a client as it comes: what is a line of a watch must not wait for the next one. */
    void copyBody(Head head, OutputStream to) throws IOException {
        String coding = head.header("Transfer-Encoding");
        String length = head.header("Content-Length");
        byte[] buffer = new byte[16 << 10];
        if (coding != null && coding.toLowerCase(Locale.ROOT).contains("chunked")) {
            while (true) {
                headerBytes = 0;
                String size = line();
                int end = size.indexOf(';');
                int chunk = number((end < 0 ? size : size.substring(0, end)).strip(), 16);
                if (chunk == 0) {
                    return;
                }
                copy(chunk, buffer, to);
                if (!line().isEmpty()) {
                    throw new ProtocolException("malformed chunked encoding");
                }
            }
        }
        copy(length == null ? Long.MAX_VALUE : Long.parseLong(length), buffer, to);
    }

    private void copy(long length, byte[] buffer, OutputStream to) throws IOException {
        long left = length;
        while (left > 0) {
            int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                if (length == Long.MAX_VALUE) {
                    return;
                }
                throw new EOFException("unexpected EOF");
            }
            to.write(buffer, 0, read);
            left -= read;
            if (in.available() == 0) {
                to.flush();
            }
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0; c = in.read()) {
            if (++headerBytes > MAX_HEADER) {
                throw new ProtocolException("the header of the answer is too long");
            }
            if (c == '\n') {
                int end = line.length();
                return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
            }
            line.append((char) c);
        }
        throw new EOFException("EOF");
    }

    private static int number(String text, int radix) throws ProtocolException {
        try {
            int value = Integer.parseInt(text, radix);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new ProtocolException("malformed number in the answer");
    }

    @Override
    public void close() {
        try {
            raw.close();
        } catch (IOException e) {
            // Nothing is lost with it.
        }
    }
}
