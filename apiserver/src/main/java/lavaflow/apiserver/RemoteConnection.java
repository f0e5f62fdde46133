package lavaflow.apiserver;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import lavaflow.kube.IpAddress;

import org.jspecify.annotations.Nullable;

/**
 * One connection to another server, with TLS or without, for one request at a time and its answer, which is read as it comes. One thread uses it; any may
 * close it.
 */
final class RemoteConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;
    /** Whoever answers calls may be too busy to shake hands at once: two hundred commands at the same time keep a small machine so. */
    private static final int HANDSHAKE_MILLIS = 30_000;

    private static final int MAX_HEADER = 256 << 10;

    /** Asked now and then while nothing comes; throws where waiting on makes no sense. */
    interface Patience {
        void check() throws IOException;
    }

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

    private final InetSocketAddress address;
    private final Socket raw;
    private final InputStream in;
    private final OutputStream out;
    private @Nullable Patience patience;
    private int headerBytes;
    private boolean keptAlive;
    private boolean answered;

    private RemoteConnection(InetSocketAddress address, Socket raw, Socket socket) throws IOException {
        this.address = address;
        this.raw = raw;
        this.in = new BufferedInputStream(new Patient(socket.getInputStream()), 32 << 10);
        this.out = socket.getOutputStream();
    }

    InetSocketAddress address() {
        return address;
    }

    /**
     * Dials the first address that answers.
     *
     * @param sockets null without TLS
     */
    static RemoteConnection open(
            List<InetSocketAddress> addresses, String serverName, @Nullable SSLSocketFactory sockets)
            throws IOException {
        IOException failure = null;
        for (InetSocketAddress address : addresses) {
            Socket raw = new Socket();
            try {
                raw.setTcpNoDelay(true);
                connect(raw, address);
                if (sockets == null) {
                    return new RemoteConnection(address, raw, raw);
                }
                return new RemoteConnection(address, raw, secured(raw, address, serverName, sockets));
            } catch (IOException e) {
                raw.close();
                failure = e;
            }
        }
        throw failure == null ? new IOException("no addresses") : failure;
    }

    private static void connect(Socket raw, InetSocketAddress address) throws IOException {
        if (address.isUnresolved()) {
            throw new UnknownHostException(address.getHostString());
        }
        try {
            raw.connect(address, CONNECT_MILLIS);
        } catch (ConnectException e) {
            String host = address.getAddress().getHostAddress();
            String shown = (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
            throw new ConnectException("dial tcp " + shown + ": connect: connection refused");
        }
    }

    private static SSLSocket secured(Socket raw, InetSocketAddress address, String serverName, SSLSocketFactory sockets)
            throws IOException {
        SSLSocket tls = (SSLSocket) sockets.createSocket(raw, serverName, address.getPort(), true);
        if (IpAddress.parse(serverName) == null) {
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(serverName)));
            tls.setSSLParameters(parameters);
        }
        raw.setSoTimeout(HANDSHAKE_MILLIS);
        tls.startHandshake();
        raw.setSoTimeout(0);
        return tls;
    }

    /** Lets reading wait as long as someone has patience, who is asked every so often. */
    void await(int millis, Patience asked) throws IOException {
        patience = asked;
        raw.setSoTimeout(millis);
    }

    /** True where the last answer is complete and the server is ready for another request. */
    boolean isReusable() {
        return answered && keptAlive && !raw.isClosed();
    }

    /** True where the server said something unasked, which is how it says goodbye. */
    boolean isStale() {
        try {
            return raw.isClosed() || in.available() > 0 || raw.getInputStream().available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    /** What comes after the answer to a request that left HTTP. */
    InputStream input() {
        return in;
    }

    OutputStream output() {
        return out;
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
        answered = false;
        while (true) {
            headerBytes = 0;
            String status = line();
            if (!status.startsWith("HTTP/1.") || status.length() < 12) {
                throw new ProtocolException("malformed HTTP response");
            }
            int code = (int) number(status.substring(9, 12), 10);
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
                Head head = new Head(code, headers);
                String connection = head.header("Connection");
                keptAlive = status.startsWith("HTTP/1.1")
                        && (connection == null
                                || !connection.toLowerCase(Locale.ROOT).contains("close"));
                return head;
            }
        }
    }

    /** The answer has no body. */
    void noBody() {
        answered = true;
    }

    /** Copies the body to a client as it comes: what is a line of a watch must not wait for the next one. */
    void copyBody(Head head, OutputStream to) throws IOException {
        String coding = head.header("Transfer-Encoding");
        String length = head.header("Content-Length");
        byte[] buffer = new byte[16 << 10];
        if (coding != null && coding.toLowerCase(Locale.ROOT).contains("chunked")) {
            copyChunks(buffer, to);
            answered = true;
        } else if (length == null) {
            copy(Long.MAX_VALUE, buffer, to);
        } else {
            copy(number(length, 10), buffer, to);
            answered = true;
        }
    }

    private void copyChunks(byte[] buffer, OutputStream to) throws IOException {
        while (true) {
            headerBytes = 0;
            String size = line();
            int end = size.indexOf(';');
            long chunk = number((end < 0 ? size : size.substring(0, end)).strip(), 16);
            if (chunk > 0) {
                copy(chunk, buffer, to);
            }
            boolean last = chunk == 0;
            String after = line();
            while (last && !after.isEmpty()) {
                after = line(); // trailers, which nobody asked for
            }
            if (!after.isEmpty()) {
                throw new ProtocolException("malformed chunked encoding");
            }
            if (last) {
                return;
            }
        }
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

    private static long number(String text, int radix) throws ProtocolException {
        try {
            long value = Long.parseLong(text, radix);
            if (value >= 0 && !text.startsWith("+")) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new ProtocolException("malformed number in the answer");
    }

    /** Reads on after a pause in which nothing came, where that is wanted. */
    private final class Patient extends FilterInputStream {
        Patient(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            while (true) {
                try {
                    return super.read(bytes, offset, length);
                } catch (SocketTimeoutException e) {
                    if (patience == null) {
                        throw e;
                    }
                    patience.check();
                }
            }
        }
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
