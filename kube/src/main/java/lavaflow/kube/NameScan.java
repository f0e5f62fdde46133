package lavaflow.kube;

/** One-pass matchers behind {@link Names} and {@link Identifiers}; none looks at a character twice. */
final class NameScan {
    private NameScan() {}

    static boolean isLowerOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || isDigit(c);
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isAlphanumeric(char c) {
        return isLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
    }

    /** {@code [a-z0-9]([-a-z0-9]*[a-z0-9])?} */
    static boolean isLabel(String value) {
        return value.indexOf('.') < 0 && isSubdomain(value);
    }

    /** Labels with dots between them. */
    static boolean isSubdomain(String value) {
        boolean edge = true;
        char previous = '.';
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (isLowerOrDigit(c)) {
                edge = false;
            } else if (c == '-' && !edge) {
                edge = false;
            } else if (c == '.' && !edge && previous != '-') {
                edge = true;
            } else {
                return false;
            }
            previous = c;
        }
        return !edge && previous != '-';
    }

    /** As a subdomain, but a label may begin with one underscore and contain more. */
    static boolean isUnderscoreSubdomain(String value) {
        int start = 0;
        while (true) {
            int dot = value.indexOf('.', start);
            int end = dot < 0 ? value.length() : dot;
            if (!isUnderscoreLabel(value, start, end)) {
                return false;
            }
            if (dot < 0) {
                return true;
            }
            start = dot + 1;
        }
    }

    private static boolean isUnderscoreLabel(String value, int start, int end) {
        int first = start < end && value.charAt(start) == '_' ? start + 1 : start;
        if (first >= end || !isLowerOrDigit(value.charAt(first)) || !isLowerOrDigit(value.charAt(end - 1))) {
            return false;
        }
        for (int i = first; i < end; i++) {
            char c = value.charAt(i);
            if (!isLowerOrDigit(c) && c != '-' && c != '_') {
                return false;
            }
        }
        return true;
    }

    /** {@code ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]} */
    static boolean isKey(String value) {
        int last = value.length() - 1;
        return last >= 0
                && isAlphanumeric(value.charAt(0))
                && isAlphanumeric(value.charAt(last))
                && isAll(value, "-_.");
    }

    /** Only letters, digits and the given characters, and at least one. */
    static boolean isAll(String value, String others) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isAlphanumeric(c) && others.indexOf(c) < 0) {
                return false;
            }
        }
        return !value.isEmpty();
    }
}
