package lavaflow.schema;

import java.util.Set;

/** Formats of strings and numbers that a schema may name, as upstream knows them. */
public final class Formats {
    private static final Set<String> TEXT = Set.of(
            "bsonobjectid",
            "uri",
            "email",
            "hostname",
            "ipv4",
            "ipv6",
            "cidr",
            "mac",
            "uuid",
            "uuid3",
            "uuid4",
            "uuid5",
            "isbn",
            "isbn10",
            "isbn13",
            "creditcard",
            "ssn",
            "hexcolor",
            "rgbcolor",
            "byte",
            "password",
            "date",
            "duration",
            "datetime",
            "k8sshortname",
            "k8slongname");

    private Formats() {}

    /** The format if it means anything for a type, or else empty. */
    static String known(String format, String type) {
        return format.isEmpty() || !isKnown(format, type) ? "" : format;
    }

    /** Whether a format means anything for a type; dashes in names do not count. */
    public static boolean isKnown(String format, String type) {
        return switch (type) {
            case "", "string" -> TEXT.contains(format.replace("-", ""));
            case "integer" -> format.equals("int32") || format.equals("int64");
            case "number" -> format.equals("float") || format.equals("double");
            default -> false;
        };
    }

    /** Whether a format is one of strings. */
    static boolean isText(String format) {
        return TEXT.contains(format.replace("-", ""));
    }

    /** Whether a text has a known format. */
    static boolean matches(String format, String text) {
        return TextFormats.matches(format.replace("-", ""), text);
    }
}
