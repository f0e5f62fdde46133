package lavaflow.flows;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks over the network, and waits a second at most, also for somebody who answers letter by letter. */
public final class NetworkProbes implements Probes {
    private static final int PATIENCE_MILLIS = 1000;
    private static final int LONGEST_LINE = 1024;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([0-9]{3})( .*)?");
    /** What would end a line of a request, or cannot stand in a name. */
    private static final Pattern BROKEN = Pattern.compile("[\\r\\n\\x00]");

    @Override
    public boolean accepts(String host, int port) {
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException _) {
            return false;
        }
    }

    @Override
    public boolean answers(String host, int port, String path, Map<String, String> headers) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            byte[] request = request(host, port, path, headers).getBytes(StandardCharsets.UTF_8);
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            socket.getOutputStream().write(request);
            Matcher status = STATUS.matcher(firstLine(socket, end));
            return status.matches()
                    && status.group(1).compareTo("200") >= 0
                    && status.group(1).compareTo("400") < 0;
        } catch (IOException | URISyntaxException | IllegalArgumentException _) {
            return false;
        }
    }

    private static String request(String host, int port, String path, Map<String, String> headers)
            throws URISyntaxException {
        URI uri = new URI("http", null, host, port, path.startsWith("/") ? path : "/" + path, null, null);
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.put("Host", host + ":" + port);
        all.put("Accept", "*/*");
        all.putAll(headers);
        all.put("Connection", "close");
        String place = URI.create(uri.toASCIIString()).getRawPath();
        StringBuilder text = new StringBuilder("GET ").append(place).append(" HTTP/1.1\r\n");
        all.forEach((name, value) -> {
            if (name.isEmpty()
                    || name.contains(":")
                    || BROKEN.matcher(name + value).find()) {
                throw new IllegalArgumentException("no header: " + name);
            }
            text.append(name).append(": ").append(value).append("\r\n");
        });
        return text.append("\r\n").toString();
    }

    private static String firstLine(Socket socket, long end) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder line = new StringBuilder();
        while (line.length() < LONGEST_LINE) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new SocketTimeoutException("no answer in time");
            }
            socket.setSoTimeout((int) left);
            int next = in.read();
            if (next < 0 || next == '\n') {
                break;
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}
