package lavaflow.schema;

/** Recognises what Go takes for the address in a request: an absolute URI or an absolute path. */
final class RequestUri {
    private RequestUri() {}

    static boolean isValid(String text) {
        if (text.isEmpty() || hasControl(text)) {
            return false;
        }
        if (text.equals("*")) {
            return true;
        }
        int scheme = schemeLength(text);
        if (scheme < 0) {
            return false;
        }
        String rest = scheme == 0 ? text : text.substring(scheme + 1);
        int query = rest.indexOf('?');
        String path = query < 0 ? rest : rest.substring(0, query);
        if (!path.startsWith("/")) {
            return scheme > 0 && isOpaque(text);
        }
        if (path.startsWith("//") && !path.startsWith("///") && scheme > 0) {
            int slash = path.indexOf('/', 2);
            String authority = path.substring(2, slash < 0 ? path.length() : slash);
            return isAuthority(authority) && escapesAreWhole(slash < 0 ? "" : path.substring(slash), false);
        }
        return escapesAreWhole(path, false);
    }

    /** An address with a scheme and no slash is kept as it is. */
    private static boolean isOpaque(String text) {
        return !text.isEmpty();
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(c -> c < ' ' || c == 0x7f);
    }

    /** How long the scheme is: 0 where there is none, -1 where there should be one. */
    private static int schemeLength(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean later = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
            if (c == ':') {
                return i == 0 ? -1 : i;
            }
            if (!letter && !(later && i > 0)) {
                return 0;
            }
        }
        return 0;
    }

    private static boolean isAuthority(String authority) {
        int at = authority.lastIndexOf('@');
        if (at >= 0 && !isUserInfo(authority.substring(0, at))) {
            return false;
        }
        String host = authority.substring(at + 1);
        if (host.startsWith("[")) {
            int end = host.lastIndexOf(']');
            return end >= 0 && isPort(host.substring(end + 1));
        }
        int colon = host.lastIndexOf(':');
        if (colon >= 0 && !isPort(host.substring(colon))) {
            return false;
        }
        return hostIsPlain(colon < 0 ? host : host.substring(0, colon));
    }

    private static boolean isUserInfo(String info) {
        return info.chars()
                        .allMatch(
                                c -> (Character.isLetterOrDigit(c) && c < 128) || "-._:~!$&'()*+,;=%@".indexOf(c) >= 0)
                && escapesAreWhole(info, false);
    }

    private static boolean isPort(String text) {
        return text.isEmpty() || (text.startsWith(":") && text.chars().skip(1).allMatch(c -> c >= '0' && c <= '9'));
    }

    private static boolean hostIsPlain(String host) {
        return host.chars()
                        .allMatch(c ->
                                c >= 128 || Character.isLetterOrDigit(c) || "-_.~!$&'()*+,;=:[]<>\"%".indexOf(c) >= 0)
                && escapesAreWhole(host, true);
    }

    /** Every percent sign is followed by two hexadecimal digits; in hosts only bytes beyond ASCII may be written so. */
    private static boolean escapesAreWhole(String text, boolean host) {
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
            if (i + 2 >= text.length()
                    || Character.digit(text.charAt(i + 1), 16) < 0
                    || Character.digit(text.charAt(i + 2), 16) < 0) {
                return false;
            }
            if (host && Character.digit(text.charAt(i + 1), 16) < 8) {
                return false;
            }
        }
        return true;
    }
}
