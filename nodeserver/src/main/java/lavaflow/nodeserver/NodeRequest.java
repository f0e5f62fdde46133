package lavaflow.nodeserver;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The head of an HTTP/1.1 request.
 *
 * @param segments of the path, decoded
 * @param headers by name in lower case
 */
record NodeRequest(
        String method,
        String path,
        List<String> segments,
        Map<String, List<String>> query,
        Map<String, List<String>> headers,
        boolean keepAlive) {
    private static final int MOST_BYTES = 64 << 10;
    private static final int MOST_HEADERS = 128;
    private static final int MOST_PARAMETERS = 4096;

    /** Null where the client has nothing more to ask. */
    static @Nullable NodeRequest read(InputStream in) throws IOException {
        Lines lines = new Lines(in);
        String first = lines.next();
        if (first == null) {
            return null;
        }
        String[] words = first.split(" ", -1);
        if (words.length != 3 || !words[2].matches("HTTP/1\\.[01]") || !words[1].startsWith("/")) {
            throw new ProtocolException("malformed request line");
        }
        Map<String, List<String>> headers = new LinkedHashMap<>();
        int count = 0;
        for (String line = lines.next(); line == null || !line.isEmpty(); line = lines.next()) {
            int colon = line == null ? -1 : line.indexOf(':');
            if (line == null || colon < 1 || ++count > MOST_HEADERS) {
                throw new ProtocolException("malformed headers");
            }
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        int mark = words[1].indexOf('?');
        String path = mark < 0 ? words[1] : words[1].substring(0, mark);
        String connection =
                String.join(",", headers.getOrDefault("connection", List.of())).toLowerCase(Locale.ROOT);
        boolean keepAlive = words[2].equals("HTTP/1.1") && !connection.contains("close");
        return new NodeRequest(
                words[0],
                path,
                segments(path),
                query(mark < 0 ? "" : words[1].substring(mark + 1)),
                headers,
                keepAlive);
    }

    private static List<String> segments(String path) throws ProtocolException {
        List<String> segments = new ArrayList<>();
        for (String part : path.substring(1).split("/", -1)) {
            segments.add(decode(part.replace("+", "%2B")));
        }
        return segments;
    }

    private static Map<String, List<String>> query(String text) throws ProtocolException {
        Map<String, List<String>> query = new LinkedHashMap<>();
        String[] pairs = text.isEmpty() ? new String[0] : text.split("&", -1);
        if (pairs.length > MOST_PARAMETERS) {
            throw new ProtocolException("too many parameters");
        }
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            query.computeIfAbsent(name, _ -> new ArrayList<>())
                    .add(equals < 0 ? "" : decode(pair.substring(equals + 1)));
        }
        return query;
    }

    private static String decode(String text) throws ProtocolException {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("malformed escape");
        }
    }

    /** The first value of a parameter, empty where there is none. */
    String parameter(String name) {
        return parameters(name).isEmpty() ? "" : parameters(name).getFirst();
    }

    List<String> parameters(String name) {
        return query.getOrDefault(name, List.of());
    }

    boolean flag(String name) {
        String value = parameter(name);
        return query.containsKey(name) && !value.equals("0") && !value.equalsIgnoreCase("false");
    }

    /** The first value of a header, empty where there is none. */
    String header(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.getFirst();
    }

    /** The values of a header that is a list, however they are spread. */
    List<String> list(String name) {
        List<String> values = new ArrayList<>();
        for (String line : headers.getOrDefault(name, List.of())) {
            for (String value : line.split(",", -1)) {
                if (!value.isBlank()) {
                    values.add(value.strip());
                }
            }
        }
        return values;
    }

    /** What the client wants to speak instead, in lower case; empty where it does not. */
    String upgrade() {
        boolean asked = list("connection").stream().anyMatch(value -> value.equalsIgnoreCase("upgrade"));
        return asked ? header("upgrade").toLowerCase(Locale.ROOT) : "";
    }

    private static final class Lines {
        private final InputStream in;
        private int bytes;

        Lines(InputStream in) {
            this.in = in;
        }

        @Nullable
        String next() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (++bytes > MOST_BYTES) {
                    throw new ProtocolException("the head of the request is too long");
                }
                if (c == '\n') {
                    int end = line.length();
                    return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
                }
                line.append((char) c);
            }
            if (bytes > 0) {
                throw new EOFException("the client left");
            }
            return null;
        }
    }
}
