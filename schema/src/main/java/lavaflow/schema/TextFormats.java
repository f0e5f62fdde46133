package lavaflow.schema;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;

import lavaflow.kube.Cidr;
import lavaflow.kube.GoDuration;
import lavaflow.kube.IpAddress;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

/** Recognises the formats of strings. Patterns are compiled when the first schema needs them. */
final class TextFormats {
    private static final class Uuid {
        static final Pattern ANY = of("[0-9a-f]{4}-?[0-9a-f]{4}");
        static final Pattern THREE = of("3[0-9a-f]{3}-?[0-9a-f]{4}");
        static final Pattern FOUR = of("4[0-9a-f]{3}-?[89ab][0-9a-f]{3}");
        static final Pattern FIVE = of("5[0-9a-f]{3}-?[89ab][0-9a-f]{3}");

        private static Pattern of(String middle) {
            return Pattern.compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?" + middle + "-?[0-9a-f]{12}$");
        }
    }

    private static final class Hostname {
        private static final String SIGN = "a-zA-Z0-9\\p{S}\\p{L}";
        static final Pattern PATTERN = Pattern.compile("^([" + SIGN + "]((-?[" + SIGN + "]{0,62})?)|([" + SIGN + "](([-"
                + SIGN + "]{0,61}[" + SIGN + "])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$");
    }

    private static final class Card {
        static final Pattern PATTERN = Pattern.compile("^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}"
                + "|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
                + "|(?:2131|1800|35\\d{3})\\d{11})$");
    }

    private static final class Color {
        private static final String BYTE = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
        static final Pattern HEX = Pattern.compile("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
        static final Pattern RGB = Pattern.compile("^rgb\\(" + BYTE + "," + BYTE + "," + BYTE + "\\)$");
    }

    private static final class Time {
        static final Pattern PATTERN =
                Pattern.compile("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
        static final Pattern DURATION = Pattern.compile("((\\d+)\\s*([A-Za-zµ]+))");
        /** Names of units; the last of each also counts with anything behind it. */
        static final List<List<String>> UNITS = List.of(
                List.of("ns", "nano"),
                List.of("us", "µs", "micro"),
                List.of("ms", "milli"),
                List.of("s", "sec"),
                List.of("m", "min"),
                List.of("h", "hr", "hour"),
                List.of("d", "day"),
                List.of("w", "wk", "week"));
    }

    private static final class Other {
        static final Pattern BASE64 =
                Pattern.compile("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
        static final Pattern SSN = Pattern.compile("^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$");
        static final Pattern OBJECT_ID = Pattern.compile("^[0-9a-fA-F]{24}$");
        static final Pattern ISBN10 = Pattern.compile("^(?:[0-9]{9}X|[0-9]{10})$");
        static final Pattern ISBN13 = Pattern.compile("^(?:[0-9]{13})$");
        static final Pattern LONG_NAME =
                Pattern.compile("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
    }

    private TextFormats() {}

    /** @param format a known format, without dashes */
    static boolean matches(String format, String text) {
        return switch (format) {
            case "bsonobjectid" -> found(Other.OBJECT_ID, text);
            case "uri" -> RequestUri.isValid(text);
            case "email" -> MailAddress.isValid(text);
            case "hostname" -> isHostname(text);
            case "ipv4" -> text.indexOf('.') >= 0 && IpAddress.parse(text) != null;
            case "ipv6" -> isIpv6(text);
            case "cidr" -> Cidr.parse(text) != null;
            case "mac" -> isHardwareAddress(text);
            case "uuid" -> found(Uuid.ANY, text);
            case "uuid3" -> found(Uuid.THREE, text);
            case "uuid4" -> found(Uuid.FOUR, text);
            case "uuid5" -> found(Uuid.FIVE, text);
            case "isbn" -> isIsbn10(text) || isIsbn13(text);
            case "isbn10" -> isIsbn10(text);
            case "isbn13" -> isIsbn13(text);
            case "creditcard" -> isCreditCard(text);
            case "ssn" -> text.length() == 11 && found(Other.SSN, text);
            case "hexcolor" -> found(Color.HEX, text);
            case "rgbcolor" -> found(Color.RGB, text);
            case "byte" -> found(Other.BASE64, text);
            case "date" -> isDate(text);
            case "duration" -> isDuration(text);
            case "datetime" -> isDateTime(text);
            case "k8sshortname" -> text.length() <= 63 && text.indexOf('.') < 0 && found(Other.LONG_NAME, text);
            case "k8slongname" -> text.length() <= 253 && found(Other.LONG_NAME, text);
            default -> true;
        };
    }

    private static boolean found(Pattern pattern, String text) {
        return pattern.matcher(text).find();
    }

    private static boolean isHostname(String text) {
        if (Names.utf8Length(text) > 255 || !found(Hostname.PATTERN, text)) {
            return false;
        }
        for (String label : text.split("\\.", -1)) {
            if (Names.utf8Length(label) > 63) {
                return false;
            }
        }
        return true;
    }

    /** Unlike in addresses of the fourth version, leading zeros are refused. */
    private static boolean isIpv6(String text) {
        IpAddress address = text.indexOf(':') >= 0 ? IpAddress.parse(text) : null;
        return address != null && !address.leadingZeros();
    }

    /** Six, eight or twenty bytes, two digits each between colons or dashes, or four between dots. */
    private static boolean isHardwareAddress(String text) {
        int group = text.length() > 2 && (text.charAt(2) == ':' || text.charAt(2) == '-')
                ? 2
                : text.length() > 4 && text.charAt(4) == '.' ? 4 : 0;
        if (group == 0 || (text.length() + 1) % (group + 1) != 0) {
            return false;
        }
        int bytes = (text.length() + 1) / (group + 1) * group / 2;
        char separator = text.charAt(group);
        for (int i = 0; i < text.length(); i++) {
            boolean isSeparator = i % (group + 1) == group;
            char c = text.charAt(i);
            if (isSeparator ? c != separator : c > 127 || Character.digit(c, 16) < 0) {
                return false;
            }
        }
        return bytes == 6 || bytes == 8 || bytes == 20;
    }

    private static String withoutBlanks(String text) {
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if ("\t\n\f\r -".indexOf(text.charAt(i)) < 0) {
                kept.append(text.charAt(i));
            }
        }
        return kept.toString();
    }

    private static boolean isIsbn10(String text) {
        String digits = withoutBlanks(text);
        if (!found(Other.ISBN10, digits)) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += (i + 1) * (digits.charAt(i) == 'X' ? 10 : digits.charAt(i) - '0');
        }
        return sum % 11 == 0;
    }

    private static boolean isIsbn13(String text) {
        String digits = withoutBlanks(text);
        if (!found(Other.ISBN13, digits)) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < 12; i++) {
            sum += (i % 2 == 0 ? 1 : 3) * (digits.charAt(i) - '0');
        }
        return digits.charAt(12) - '0' == (10 - sum % 10) % 10;
    }

    private static boolean isCreditCard(String text) {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                digits.append(c);
            }
        }
        if (!found(Card.PATTERN, digits.toString())) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(digits.length() - 1 - i) - '0';
            int weighted = i % 2 == 0 ? digit : digit * 2;
            sum += weighted >= 10 ? weighted - 9 : weighted;
        }
        return sum % 10 == 0;
    }

    private static boolean isDate(String text) {
        boolean shaped = text.length() == 10 && text.charAt(4) == '-' && text.charAt(7) == '-';
        for (int i = 0; shaped && i < 10; i++) {
            shaped = i == 4 || i == 7 || (text.charAt(i) >= '0' && text.charAt(i) <= '9');
        }
        try {
            return shaped && LocalDate.parse(text) != null;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static boolean isDateTime(String text) {
        String[] parts = text.toLowerCase(Locale.ROOT).split("t", -1);
        if (parts.length < 2 || !isDate(parts[0])) {
            return false;
        }
        Matcher time = Time.PATTERN.matcher(parts[1]);
        return time.find()
                && time.group(1).compareTo("23") <= 0
                && time.group(2).compareTo("59") <= 0
                && time.group(3).compareTo("59") <= 0;
    }

    private static boolean isDuration(String text) {
        try {
            GoDuration.parseNanos(text);
            return true;
        } catch (MalformedException e) {
            return isLooseDuration(text);
        }
    }

    /** Any number followed by a word that begins like a unit: {@code 2 weeks}. */
    private static boolean isLooseDuration(String text) {
        Matcher parts = Time.DURATION.matcher(text);
        boolean known = false;
        while (parts.find()) {
            if (new BigInteger(parts.group(2)).bitLength() >= Long.SIZE) {
                return false;
            }
            String unit = parts.group(3).toLowerCase(Locale.ROOT);
            for (List<String> names : Time.UNITS) {
                known |= names.contains(unit) || unit.startsWith(names.getLast());
            }
        }
        return known;
    }
}
