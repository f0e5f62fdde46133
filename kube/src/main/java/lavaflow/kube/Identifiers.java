package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

/** Names inside objects: ports, variables, keys, headers. As {@link Names}, each check returns upstream's complaints. */
public final class Identifiers {
    private static final String ENV_WRONG = Names.explained(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and"
                    + " must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            "my.env-name",
            "MY_ENV.NAME",
            "MyEnvName1");
    private static final String CONFIG_KEY_WRONG = Names.explained(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            "key.name",
            "KEY_NAME",
            "key-name");
    private static final String HEADER_WRONG = Names.explained(
            "a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name");
    private static final String PERCENT_WRONG = Names.explained(
            "a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%");
    private static final String C_WRONG = Names.explained(
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric"
                    + " characters or '_'",
            "[A-Za-z_][A-Za-z0-9_]*",
            "my_name",
            "MY_NAME",
            "MyName");
    private static final String REASON_WRONG = Names.explained(
            "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric"
                    + " characters or '_,:', and must end with an alphanumeric character or '_'",
            "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
            "my_name",
            "MY_NAME",
            "MyName",
            "ReasonA,ReasonB",
            "ReasonA:ReasonB");
    private static final String PATH_WRONG = Names.explained("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");

    private Identifiers() {}

    private static List<String> unless(boolean good, String wrong) {
        return good ? List.of() : List.of(wrong);
    }

    /** A port's name: IANA_SVC_NAME of RFC 6335 in lower case. */
    public static List<String> portName(String name) {
        List<String> errors = new ArrayList<>();
        if (Names.utf8Length(name) > 15) {
            errors.add("must be no more than 15 characters");
        }
        boolean charset = !name.isEmpty();
        boolean letter = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            charset &= c == '-' || NameScan.isLowerOrDigit(c);
            letter |= c >= 'a' && c <= 'z';
        }
        if (!charset) {
            errors.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (!letter) {
            errors.add("must contain at least one letter (a-z)");
        }
        if (name.contains("--")) {
            errors.add("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            errors.add("must not begin or end with a hyphen");
        }
        return errors;
    }

    public static List<String> portNumber(long port) {
        return inRange(port, 1, 65535);
    }

    public static List<String> inRange(long value, long least, long most) {
        return unless(value >= least && value <= most, Names.between(least, most));
    }

    /** A Unix user or group number. */
    public static List<String> userId(long id) {
        return inRange(id, 0, Integer.MAX_VALUE);
    }

    /** Names of variables made from keys: the strict form. */
    public static List<String> envVarName(String name) {
        boolean good = NameScan.isAll(name, "-._") && !NameScan.isDigit(name.charAt(0));
        return withDirectoryCheck(name, unless(good, ENV_WRONG));
    }

    /** Names of variables in a container: anything printable but '='. */
    public static List<String> relaxedEnvVarName(String name) {
        if (name.isEmpty()) {
            return List.of("environment variable name must be non-empty");
        }
        boolean good = name.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != '=');
        return unless(
                good,
                "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }

    /** A key of a ConfigMap or Secret. */
    public static List<String> configMapKey(String key) {
        List<String> errors = new ArrayList<>();
        if (Names.utf8Length(key) > Names.SUBDOMAIN_LENGTH) {
            errors.add("must be no more than 253 characters");
        }
        errors.addAll(unless(NameScan.isAll(key, "-._"), CONFIG_KEY_WRONG));
        return withDirectoryCheck(key, errors);
    }

    private static List<String> withDirectoryCheck(String value, List<String> found) {
        if (!value.startsWith("..") && !value.equals(".")) {
            return found;
        }
        List<String> errors = new ArrayList<>(found);
        errors.add(value.length() <= 2 ? "must not be '" + value + "'" : "must not start with '..'");
        return errors;
    }

    public static List<String> httpHeaderName(String name) {
        return unless(NameScan.isAll(name, "-"), HEADER_WRONG);
    }

    public static List<String> percent(String value) {
        int digits = value.length() - 1;
        boolean good = digits > 0
                && value.charAt(digits) == '%'
                && value.chars().limit(digits).allMatch(c -> c >= '0' && c <= '9');
        return unless(good, PERCENT_WRONG);
    }

    public static List<String> cIdentifier(String value) {
        return unless(NameScan.isAll(value, "_") && !NameScan.isDigit(value.charAt(0)), C_WRONG);
    }

    /** The reason of a condition. */
    public static List<String> conditionReason(String value) {
        boolean good = NameScan.isAll(value, "_,:")
                && Character.isLetter(value.charAt(0))
                && ",:".indexOf(value.charAt(value.length() - 1)) < 0;
        return unless(good, REASON_WRONG);
    }

    /** A domain with at least three segments. */
    public static void fullyQualifiedName(FieldPath path, String name, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path);
            return;
        }
        List<String> wrong = Names.dns1123Subdomain(name);
        if (!wrong.isEmpty()) {
            errors.invalid(path, name, String.join(",", wrong));
        } else if (name.chars().filter(c -> c == '.').count() < 2) {
            errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
        }
    }

    /** A domain, a slash and a path, as the name of a controller of ingresses. */
    public static void domainPrefixedPath(FieldPath path, String value, FieldErrors errors) {
        if (value.isEmpty()) {
            errors.required(path);
            return;
        }
        int slash = value.indexOf('/');
        if (slash <= 0 || slash == value.length() - 1) {
            errors.invalid(path, value, "must be a domain-prefixed path (such as \"acme.io/foo\")");
            return;
        }
        String host = value.substring(0, slash);
        Names.dns1123Subdomain(host).forEach(wrong -> errors.invalid(path, host, wrong));
        String rest = value.substring(slash + 1);
        if (!NameScan.isAll(rest, "/-._~%!$&'()*+,;=:")) {
            errors.invalid(path, rest, PATH_WRONG);
        }
    }
}
