package lavaflow.cel;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.GoQuote;

/** A URL as Go's url.ParseRequestURI reads it. */
record GoUrl(String text, String scheme, String userInfo, String host, String path, String rawQuery)
        implements TypedValue {
    private static final String PATH_CHARACTERS = "-_.~$&+,/:;=@!'()*%";

    @Override
    public CelType type() {
        return CelType.URL;
    }

    private static CelException failure(String text, String message) {
        return new CelException("parse " + GoQuote.quote(text) + ": " + message);
    }

    static GoUrl parseRequest(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < 0x20 || text.charAt(i) == 0x7f) {
                throw failure(text, "net/url: invalid control character in URL");
            }
        }
        if (text.isEmpty()) {
            throw failure(text, "empty url");
        }
        if (text.equals("*")) {
            return new GoUrl(text, "", "", "", "*", "");
        }
        parse(text, text, true);
        int fragment = text.indexOf('#');
        return parse(text, fragment < 0 ? text : text.substring(0, fragment), false);
    }

    /** Requests must have a scheme or an absolute path, and only with a scheme a host. */
    private static GoUrl parse(String text, String whole, boolean request) {
        int colon = schemeEnd(text);
        String scheme = colon < 0 ? "" : whole.substring(0, colon).toLowerCase(java.util.Locale.ROOT);
        String rest = colon < 0 ? whole : whole.substring(colon + 1);
        String query = "";
        int question = rest.indexOf('?');
        if (question >= 0) {
            query = rest.substring(question + 1);
            rest = rest.substring(0, question);
        }
        if (!rest.startsWith("/")) {
            if (!scheme.isEmpty()) {
                return new GoUrl(text, scheme, "", "", "", query);
            }
            throw failure(text, "invalid URI for request");
        }
        String userInfo = "";
        String host = "";
        if ((!scheme.isEmpty() || !request) && rest.startsWith("//") && !(rest.startsWith("///") && scheme.isEmpty())) {
            int slash = rest.indexOf('/', 2);
            String authority = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
            rest = slash < 0 ? "" : rest.substring(slash);
            int at = authority.lastIndexOf('@');
            if (at >= 0) {
                userInfo = authority.substring(0, at);
                authority = authority.substring(at + 1);
            }
            checkEscapes(text, authority);
            host = checkedHost(text, authority);
        }
        checkEscapes(text, rest);
        return new GoUrl(text, scheme, userInfo, host, rest, query);
    }

    /** The place of the colon behind the scheme, or -1 if there is no scheme. */
    private static int schemeEnd(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isLetter(c)) {
                continue;
            }
            if (isDigit(c) || c == '+' || c == '-' || c == '.') {
                if (i == 0) {
                    return -1;
                }
                continue;
            }
            if (c == ':') {
                if (i == 0) {
                    throw failure(text, "missing protocol scheme");
                }
                return i;
            }
            return -1;
        }
        return -1;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String checkedHost(String text, String host) {
        int portAt;
        if (host.startsWith("[")) {
            int end = host.lastIndexOf(']');
            if (end < 0) {
                throw failure(text, "missing ']' in host");
            }
            portAt = end + 1;
        } else {
            portAt = host.lastIndexOf(':');
            if (portAt < 0) {
                portAt = host.length();
            }
        }
        String port = host.substring(portAt);
        boolean good = port.isEmpty() || port.charAt(0) == ':';
        for (int i = 1; i < port.length(); i++) {
            good &= port.charAt(i) >= '0' && port.charAt(i) <= '9';
        }
        if (!good) {
            throw failure(text, "invalid port " + GoQuote.quote(port) + " after host");
        }
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (" \\^`{}|".indexOf(c) >= 0) {
                throw failure(text, "invalid character " + GoQuote.quote(String.valueOf(c)) + " in host name");
            }
        }
        return host;
    }

    private static void checkEscapes(String text, String part) {
        for (int i = 0; i < part.length(); i++) {
            if (part.charAt(i) == '%'
                    && (i + 2 >= part.length()
                            || Character.digit(part.charAt(i + 1), 16) < 0
                            || Character.digit(part.charAt(i + 2), 16) < 0)) {
                throw failure(
                        text, "invalid URL escape " + GoQuote.quote(part.substring(i, Math.min(i + 3, part.length()))));
            }
        }
    }

    String hostname() {
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            return end < 0 ? host : host.substring(1, end);
        }
        int colon = host.lastIndexOf(':');
        return colon < 0 ? host : host.substring(0, colon);
    }

    String port() {
        int colon = host.lastIndexOf(':');
        return colon < 0 || colon < host.lastIndexOf(']') ? "" : host.substring(colon + 1);
    }

    String escapedPath() {
        StringBuilder escaped = new StringBuilder();
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 0x80
                    && (Character.isLetterOrDigit(c) || PATH_CHARACTERS.indexOf(c) >= 0 || c == '[' || c == ']');
            escaped.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return escaped.toString();
    }

    /** Parameters and their values; malformed ones are left out. */
    CelMap query() {
        Map<Object, List<Object>> values = new LinkedHashMap<>();
        for (String pair : rawQuery.split("&", -1)) {
            if (pair.isEmpty() || pair.indexOf(';') >= 0) {
                continue;
            }
            int equals = pair.indexOf('=');
            try {
                String key = unescaped(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : unescaped(pair.substring(equals + 1));
                values.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
            } catch (IllegalArgumentException malformed) {
                // Go's parser goes on with the next pair.
            }
        }
        Map<Object, Object> lists = new LinkedHashMap<>();
        values.forEach((key, list) -> lists.put(key, new Lists.Values(list)));
        return new Maps.Values(lists);
    }

    private static String unescaped(String text) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '%') {
                if (i + 2 >= in.length) {
                    throw new IllegalArgumentException(text);
                }
                int high = Character.digit(in[i + 1], 16);
                int low = Character.digit(in[i + 2], 16);
                if (high < 0 || low < 0) {
                    throw new IllegalArgumentException(text);
                }
                out[length++] = (byte) (high * 16 + low);
                i += 2;
            } else {
                out[length++] = in[i] == '+' ? (byte) ' ' : in[i];
            }
        }
        return new String(out, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return text;
    }
}
