package lavaflow.schema;

/** Recognises what Go takes for one mail address: {@code a@b}, {@code Name <a@b>}, with quoted names. */
final class MailAddress {
    private static final String SPECIAL = "()<>[]:;@\\,\"";

    private final String text;
    private int at;

    private MailAddress(String text) {
        this.text = text;
    }

    static boolean isValid(String text) {
        return new MailAddress(text).isWhole();
    }

    private boolean isWhole() {
        skipBlanks();
        int start = at;
        if (address() && end()) {
            return true;
        }
        at = start;
        if (!phrase()) {
            at = start;
        }
        skipBlanks();
        return take('<') && address() && take('>') && end();
    }

    private boolean end() {
        skipBlanks();
        while (at < text.length() && text.charAt(at) == '(') {
            int close = text.indexOf(')', at);
            if (close < 0) {
                return false;
            }
            at = close + 1;
            skipBlanks();
        }
        return at == text.length();
    }

    private boolean take(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void skipBlanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    private boolean address() {
        return (peek('"') ? quoted() : atoms()) && take('@') && domain();
    }

    private boolean peek(char c) {
        return at < text.length() && text.charAt(at) == c;
    }

    private boolean domain() {
        if (!take('[')) {
            return atoms();
        }
        int close = text.indexOf(']', at);
        if (close < 0) {
            return false;
        }
        at = close + 1;
        return true;
    }

    /** Words between single dots. */
    private boolean atoms() {
        int start = at;
        boolean wordBefore = false;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '.') {
                if (!wordBefore) {
                    return false;
                }
                wordBefore = false;
            } else if (isWord(c)) {
                wordBefore = true;
            } else {
                break;
            }
            at++;
        }
        return at > start && wordBefore;
    }

    private static boolean isWord(char c) {
        return c > ' ' && c != 0x7f && SPECIAL.indexOf(c) < 0;
    }

    private boolean quoted() {
        at++;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c == '\\') {
                at++;
            } else if (c < ' ' && c != '\t') {
                return false;
            }
        }
        return false;
    }

    private boolean phrase() {
        boolean any = false;
        while (true) {
            skipBlanks();
            if (peek('"')) {
                if (!quoted()) {
                    return false;
                }
            } else {
                int start = at;
                while (at < text.length() && (isWord(text.charAt(at)) || text.charAt(at) == '.')) {
                    at++;
                }
                if (at == start) {
                    return any;
                }
            }
            any = true;
        }
    }
}
