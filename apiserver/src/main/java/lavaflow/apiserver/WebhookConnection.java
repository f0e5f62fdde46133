package lavaflow.apiserver;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import lavaflow.kube.GoQuote;
import lavaflow.kube.IpAddress;

/** One TLS connection to a webhook, which speaks HTTP/1.1 and posts one document at a time. Everything read is bounded. */
final class WebhookConnection implements AutoCloseable {
    private static final int MAX_HEADER = 64 << 10;

    /** What the webhook said. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Response(int code, String contentType, byte[] body, boolean keepsAlive) {}

    private final Socket raw;
    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private long idleSince;
    private boolean answered;
    private int headerBytes;
    private int mostBytes;

    private WebhookConnection(Socket raw, SSLSocket socket) throws IOException {
        this.raw = raw;
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    @SuppressWarnings("AddressSelection") // one address at a time: the caller has the list
    static WebhookConnection open(
            InetSocketAddress address, String serverName, SSLSocketFactory sockets, WebhookClient.Deadline deadline)
            throws IOException {
        Socket raw = new Socket();
        deadline.closes(raw);
        boolean done = false;
        try {
            if (address.isUnresolved()) {
                throw new java.net.UnknownHostException(address.getHostString());
            }
            raw.setTcpNoDelay(true);
            connect(raw, address);
            SSLSocket tls = (SSLSocket) sockets.createSocket(raw, serverName, address.getPort(), true);
            SSLParameters parameters = tls.getSSLParameters();
            if (IpAddress.parse(serverName) == null) {
                parameters.setServerNames(List.of(new SNIHostName(serverName)));
            }
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            done = true;
            return new WebhookConnection(raw, tls);
        } finally {
            deadline.release();
            if (!done) {
                raw.close();
            }
        }
    }

    private static void connect(Socket raw, InetSocketAddress address) throws IOException {
        try {
            raw.connect(address);
        } catch (java.net.ConnectException e) {
            String host = address.getAddress().getHostAddress();
            String shown = (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
            throw new java.net.ConnectException("dial tcp " + shown + ": connect: connection refused");
        }
    }

    Response post(String host, String path, byte[] body, int mostBytes) throws IOException {
        this.answered = false;
        this.mostBytes = mostBytes;
        headerBytes = 0;
        String head = "POST " + path + " HTTP/1.1\r\nHost: " + host
                + "\r\nUser-Agent: kube-apiserver-admission\r\nContent-Length: " + body.length
                + "\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n\r\n";
        byte[] start = head.getBytes(StandardCharsets.UTF_8);
        byte[] request = new byte[start.length + body.length];
        System.arraycopy(start, 0, request, 0, start.length);
        System.arraycopy(body, 0, request, start.length, body.length);
        out.write(request);
        out.flush();
        return read();
    }

    private Response read() throws IOException {
        int code;
        boolean keepsAlive;
        long length;
        boolean chunked;
        String contentType;
        do {
            String status = line();
            answered = true;
            if (!status.startsWith("HTTP/1.") || status.length() < 12) {
                throw new ProtocolException("malformed HTTP response " + GoQuote.quote(shortened(status)));
            }
            code = number(status.substring(9, 12), 10, "malformed HTTP status code");
            keepsAlive = status.startsWith("HTTP/1.1");
            length = -1;
            chunked = false;
            contentType = "";
            for (String header = line(); !header.isEmpty(); header = line()) {
                int colon = header.indexOf(':');
                if (colon < 1) {
                    throw new ProtocolException(
                            "malformed MIME header: missing colon: " + GoQuote.quote(shortened(header)));
                }
                String value = header.substring(colon + 1).strip();
                switch (header.substring(0, colon).toLowerCase(Locale.ROOT)) {
                    case "content-length" -> length = number(value, 10, "bad Content-Length");
                    case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
                    case "connection" -> keepsAlive = !value.equalsIgnoreCase("close");
                    case "content-type" -> contentType = value;
                    default -> {}
                }
            }
        } while (code >= 100 && code < 200);
        byte[] body = chunked ? chunks() : code == 204 ? new byte[0] : length >= 0 ? bytes(length) : rest();
        return new Response(code, contentType, body, keepsAlive && (chunked || length >= 0));
    }

    private static String shortened(String text) {
        return text.length() > 100 ? text.substring(0, 100) : text;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); ; c = in.read()) {
            if (c < 0) {
                throw new EOFException("EOF");
            }
            if (++headerBytes > MAX_HEADER) {
                throw new ProtocolException("net/http: server response headers exceeded " + MAX_HEADER + " bytes");
            }
            if (c == '\n') {
                int end = line.length();
                return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
            }
            line.append((char) c);
        }
    }

    private static int number(String text, int radix, String problem) throws ProtocolException {
        try {
            int value = Integer.parseInt(text, radix);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new ProtocolException(problem + " " + GoQuote.quote(shortened(text)));
    }

    private void requireFits(long length) throws ProtocolException {
        if (length > mostBytes) {
            throw new ProtocolException("the response of the webhook is larger than " + mostBytes + " bytes");
        }
    }

    private byte[] bytes(long length) throws IOException {
        requireFits(length);
        byte[] body = in.readNBytes((int) length);
        if (body.length < length) {
            throw new EOFException("unexpected EOF");
        }
        return body;
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            headerBytes = 0;
            String size = line();
            int end = size.indexOf(';');
            int length = number((end < 0 ? size : size.substring(0, end)).strip(), 16, "invalid chunk length");
            if (length == 0) {
                while (!line().isEmpty()) {
                    // Trailers say nothing to us.
                }
                return body.toByteArray();
            }
            requireFits((long) body.size() + length);
            body.write(bytes(length));
            if (!line().isEmpty()) {
                throw new ProtocolException("malformed chunked encoding");
            }
        }
    }

    private byte[] rest() throws IOException {
        byte[] body = in.readNBytes(mostBytes + 1);
        requireFits(body.length);
        return body;
    }

    /** True once anything of an answer to the present request has come. */
    boolean hasAnswered() {
        return answered;
    }

    void rest(long nowNanos) {
        idleSince = nowNanos;
    }

    long idleSince() {
        return idleSince;
    }

    /** Closes the plain socket below: TLS would wait for its own good-bye. */
    @Override
    public void close() {
        try {
            raw.close();
            socket.close();
        } catch (IOException e) {
            // Nothing is lost with it.
        }
    }
}
