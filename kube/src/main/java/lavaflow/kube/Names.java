package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What names may look like. Each check returns what is wrong in upstream's words, nothing where all is well.
 *
 * <p>The patterns are scanned by hand in one pass: the messages show regular expressions, but names come from anyone
 * and may be megabytes long.
 */
public final class Names {
    public static final int LABEL_LENGTH = 63;
    public static final int SUBDOMAIN_LENGTH = 253;

    private static final String LABEL_PATTERN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String LABEL_WRONG = explained(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                    + " end with an alphanumeric character",
            LABEL_PATTERN,
            "my-name",
            "123-abc");
    private static final String SUBDOMAIN_PATTERN = LABEL_PATTERN + "(\\." + LABEL_PATTERN + ")*";
    private static final String SUBDOMAIN_WRONG = explained(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character",
            SUBDOMAIN_PATTERN,
            "example.com");
    private static final String CASELESS_SUBDOMAIN_WRONG = explained(
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an"
                    + " alphanumeric character",
            SUBDOMAIN_PATTERN,
            "Example.com");
    private static final String UNDERSCORE_LABEL_PATTERN = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
    private static final String UNDERSCORE_SUBDOMAIN_WRONG = explained(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and"
                    + " must start and end with an alphanumeric character",
            UNDERSCORE_LABEL_PATTERN + "(\\." + UNDERSCORE_LABEL_PATTERN + ")*",
            "example.com");
    private static final String WILDCARD_WRONG = explained(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist"
                    + " of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
            "\\*\\." + SUBDOMAIN_PATTERN,
            "*.example.com");
    private static final String DNS1035_WRONG = explained(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                    + " character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            "my-name",
            "abc-123");
    private static final String KEY_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String KEY_WRONG = explained(
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character",
            KEY_PATTERN,
            "MyName",
            "my.name",
            "123-abc");
    private static final String LABEL_VALUE_WRONG = explained(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                    + " start and end with an alphanumeric character",
            "(" + KEY_PATTERN + ")?",
            "MyValue",
            "my_value",
            "12345");

    private Names() {}

    /** How a kind checks its names; {@code prefix} is true where a suffix will be appended (generateName). */
    @FunctionalInterface
    public interface Rule {
        List<String> check(String name, boolean prefix);
    }

    /** Names of most kinds. */
    public static final Rule SUBDOMAIN = (name, prefix) -> dns1123Subdomain(prefix ? maskTrailingDash(name) : name);

    /** Names of namespaces and the like. */
    public static final Rule LABEL = (name, prefix) -> dns1123Label(prefix ? maskTrailingDash(name) : name);

    /** Names of services. */
    public static final Rule DNS1035 = (name, prefix) -> dns1035Label(prefix ? maskTrailingDash(name) : name);

    /** Names that need only fit into a URL, such as those of roles. */
    public static final Rule PATH_SEGMENT = (name, prefix) -> prefix ? pathSegmentPrefix(name) : pathSegmentName(name);

    /** A regular expression's complaint as upstream words it. */
    public static String explained(String message, String pattern, String... examples) {
        if (examples.length == 0) {
            return message + " (regex used for validation is '" + pattern + "')";
        }
        StringBuilder text = new StringBuilder(message).append(" (e.g. ");
        for (int i = 0; i < examples.length; i++) {
            text.append(i > 0 ? " or " : "").append('\'').append(examples[i]).append("', ");
        }
        return text.append("regex used for validation is '")
                .append(pattern)
                .append("')")
                .toString();
    }

    public static String between(long least, long most) {
        return "must be between " + least + " and " + most + ", inclusive";
    }

    private static String tooLong(int most, String unit) {
        return "must be no more than " + most + " " + unit;
    }

    /** Length in UTF-8, which is what limits count. */
    public static int utf8Length(String text) {
        int length = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                length += c >= 0x800 && !Character.isSurrogate(c) ? 2 : 1;
            }
        }
        return length;
    }

    private static List<String> check(String value, int most, String unit, boolean good, String wrong) {
        boolean fits = utf8Length(value) <= most;
        if (fits && good) {
            return List.of();
        }
        List<String> errors = new ArrayList<>(2);
        if (!fits) {
            errors.add(tooLong(most, unit));
        }
        if (!good) {
            errors.add(wrong);
        }
        return errors;
    }

    public static List<String> dns1123Label(String value) {
        boolean good = NameScan.isLabel(value);
        String wrong = !good && NameScan.isSubdomain(value) ? "must not contain dots" : LABEL_WRONG;
        return check(value, LABEL_LENGTH, "characters", good, wrong);
    }

    public static List<String> dns1123Subdomain(String value) {
        return check(value, SUBDOMAIN_LENGTH, "characters", NameScan.isSubdomain(value), SUBDOMAIN_WRONG);
    }

    /** A subdomain in which capitals are allowed, as in names of drivers. */
    public static List<String> dns1123SubdomainCaseless(String value) {
        boolean good = NameScan.isSubdomain(value.toLowerCase(Locale.ROOT))
                && value.chars().allMatch(c -> c < 0x80);
        return check(value, SUBDOMAIN_LENGTH, "bytes", good, CASELESS_SUBDOMAIN_WRONG);
    }

    /** A subdomain in which underscores are allowed, as in search domains. */
    public static List<String> dns1123SubdomainWithUnderscore(String value) {
        boolean good = NameScan.isUnderscoreSubdomain(value);
        return check(value, SUBDOMAIN_LENGTH, "characters", good, UNDERSCORE_SUBDOMAIN_WRONG);
    }

    public static List<String> wildcardSubdomain(String value) {
        boolean good = value.startsWith("*.") && NameScan.isSubdomain(value.substring(2));
        return check(value, SUBDOMAIN_LENGTH, "characters", good, WILDCARD_WRONG);
    }

    public static List<String> dns1035Label(String value) {
        boolean good = NameScan.isLabel(value) && value.charAt(0) >= 'a';
        return check(value, LABEL_LENGTH, "characters", good, DNS1035_WRONG);
    }

    /** A key of labels, annotations, finalizers, resources: a name with an optional domain before a slash. */
    public static List<String> qualifiedName(String value) {
        int slash = value.indexOf('/');
        if (slash >= 0 && value.indexOf('/', slash + 1) >= 0) {
            return List.of("a valid label key " + KEY_WRONG
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        String name = value.substring(slash + 1);
        if (slash < 0 && NameScan.isKey(name) && name.length() <= LABEL_LENGTH) {
            return List.of();
        }
        List<String> errors = new ArrayList<>();
        if (slash == 0) {
            errors.add("prefix part must be non-empty");
        } else if (slash > 0) {
            String prefix = value.substring(0, slash);
            check(prefix, SUBDOMAIN_LENGTH, "bytes", NameScan.isSubdomain(prefix), SUBDOMAIN_WRONG)
                    .forEach(error -> errors.add("prefix part " + error));
        }
        if (name.isEmpty()) {
            errors.add("name part must be non-empty");
        } else if (utf8Length(name) > LABEL_LENGTH) {
            errors.add("name part " + tooLong(LABEL_LENGTH, "bytes"));
        }
        if (!NameScan.isKey(name)) {
            errors.add("name part " + KEY_WRONG);
        }
        return errors;
    }

    public static List<String> labelValue(String value) {
        return check(value, LABEL_LENGTH, "bytes", value.isEmpty() || NameScan.isKey(value), LABEL_VALUE_WRONG);
    }

    public static List<String> pathSegmentName(String name) {
        if (name.equals(".") || name.equals("..")) {
            return List.of("may not be '" + name + "'");
        }
        return pathSegmentPrefix(name);
    }

    public static List<String> pathSegmentPrefix(String name) {
        List<String> errors = new ArrayList<>(2);
        for (String illegal : List.of("/", "%")) {
            if (name.contains(illegal)) {
                errors.add("may not contain '" + illegal + "'");
            }
        }
        return errors;
    }

    /** A prefix may end in a dash; upstream also overlooks the character before it. */
    private static String maskTrailingDash(String name) {
        int length = name.length();
        return length > 1 && name.charAt(length - 1) == '-' ? name.substring(0, length - 2) + "a" : name;
    }
}
