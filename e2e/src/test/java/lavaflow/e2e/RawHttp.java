package lavaflow.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** One HTTP/1.1 exchange written byte by byte, for request lines that no well-behaved client lets through. */
final class RawHttp {
    private static final int PATIENCE_MILLIS = 120_000;

    private RawHttp() {}

    static Answer send(SSLContext tls, URI address, ApiServer.Request request) throws IOException {
        try (SSLSocket socket = (SSLSocket) tls.getSocketFactory().createSocket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            byte[] body = request.body().orElse(new byte[0]);
            StringBuilder head = new StringBuilder()
                    .append(request.method() + " " + request.path() + " HTTP/1.1\r\n")
                    .append("Host: " + address.getAuthority() + "\r\nConnection: close\r\n");
            request.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
            if (request.body().isPresent()) {
                head.append("Content-Length: " + body.length + "\r\n");
            }
            head.append("\r\n");
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            bytes.write(body);
            socket.getOutputStream().write(bytes.toByteArray());
            socket.getOutputStream().flush();
            return read(socket.getInputStream());
        }
    }

    private static Answer read(InputStream in) throws IOException {
        String statusLine = line(in);
        int code = Integer.parseInt(statusLine.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), absent -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        boolean chunked = headers.getOrDefault("transfer-encoding", List.of()).contains("chunked");
        return new Answer(code, headers, chunked ? chunks(in) : in.readAllBytes());
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
            whole.write(in.readNBytes(size));
            line(in);
        }
        return whole.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }
}
