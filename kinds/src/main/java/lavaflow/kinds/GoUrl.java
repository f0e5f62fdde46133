package lavaflow.kinds;

import lavaflow.kube.FieldErrors;

import org.jspecify.annotations.Nullable;

/**
 * A URL as Go reads one, which takes some that Java does not and the other way round.
 *
 * @param user what stands before the host, null where nothing does
 * @param query without the question mark
 * @param fragment without the hash
 */
record GoUrl(String scheme, @Nullable String user, String host, String query, String fragment) {
    /** Marks that a host may have beside letters and digits. */
    private static final String HOST_MARKS = "-_.~!$&'()*+,;=:[]<>\"";

    /** The text is no URL; the message is Go's. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message, null, false, false);
        }

        String text() {
            return String.valueOf(getMessage());
        }
    }

    static GoUrl parse(String text) throws Malformed {
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new Malformed("net/url: invalid control character in URL");
        }
        int hash = text.indexOf('#');
        String fragment = hash < 0 ? "" : text.substring(hash + 1);
        String rest = hash < 0 ? text : text.substring(0, hash);
        String scheme = scheme(rest);
        rest = scheme.isEmpty() ? rest : rest.substring(scheme.length() + 1);
        int question = rest.indexOf('?');
        String query = question < 0 ? "" : rest.substring(question + 1);
        rest = question < 0 ? rest : rest.substring(0, question);
        if (!rest.startsWith("/")) {
            return relative(scheme, rest, query, fragment);
        }
        String user = null;
        String host = "";
        if (rest.startsWith("//") && (!scheme.isEmpty() || !rest.startsWith("///"))) {
            int slash = rest.indexOf('/', 2);
            String authority = slash < 0 ? rest.substring(2) : rest.substring(2, slash);
            rest = slash < 0 ? "" : rest.substring(slash);
            int at = authority.lastIndexOf('@');
            user = at < 0 ? null : authority.substring(0, at);
            host = authority.substring(at + 1);
            checkHost(host);
        }
        checkEscapes(rest);
        checkEscapes(fragment);
        return new GoUrl(scheme, user, host, query, fragment);
    }

    private static GoUrl relative(String scheme, String rest, String query, String fragment) throws Malformed {
        if (scheme.isEmpty()) {
            int slash = rest.indexOf('/');
            int colon = rest.indexOf(':');
            if (colon >= 0 && (slash < 0 || colon < slash)) {
                throw new Malformed("first path segment in URL cannot contain colon");
            }
            checkEscapes(rest);
        }
        checkEscapes(fragment);
        return new GoUrl(scheme, null, "", query, fragment);
    }

    /** Empty where there is none. */
    private static String scheme(String text) throws Malformed {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ':') {
                if (i == 0) {
                    throw new Malformed("missing protocol scheme");
                }
                return text.substring(0, i);
            }
            boolean later = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
            if (!isLetter(c) && (!later || i == 0)) {
                return "";
            }
        }
        return "";
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static void checkHost(String host) throws Malformed {
        if (host.startsWith("[")) {
            int end = host.lastIndexOf(']');
            if (end < 0) {
                throw new Malformed("missing ']' in host");
            }
            checkPort(host.substring(end + 1));
        } else if (host.contains(":")) {
            checkPort(host.substring(host.lastIndexOf(':')));
        }
        checkEscapes(host);
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean fine = c >= 0x80 || isLetter(c) || (c >= '0' && c <= '9') || c == '%' || HOST_MARKS.indexOf(c) >= 0;
            if (!fine) {
                throw new Malformed("invalid character " + quoted(String.valueOf(c)) + " in host name");
            }
        }
    }

    private static void checkPort(String port) throws Malformed {
        if (!port.isEmpty() && !port.matches(":[0-9]*")) {
            throw new Malformed("invalid port " + quoted(port) + " after host");
        }
    }

    private static void checkEscapes(String text) throws Malformed {
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
            String escape = text.substring(i, Math.min(i + 3, text.length()));
            if (!escape.matches("%[0-9A-Fa-f]{2}")) {
                throw new Malformed("invalid URL escape " + quoted(escape));
            }
        }
    }

    private static String quoted(String text) {
        return FieldErrors.quoted(text);
    }
}
