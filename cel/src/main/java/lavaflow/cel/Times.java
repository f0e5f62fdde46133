package lavaflow.cel;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;

import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;

/** Timestamps between the years 1 and 9999, durations of 64 bits of nanoseconds. */
final class Times {
    private static final long FIRST = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
    private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();

    private static final DateTimeFormatter RFC3339 = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd'T'HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .appendOffset("+HH:MM", "Z")
            .toFormatter(java.util.Locale.ROOT);

    private Times() {}

    static CelException overflow() {
        return new CelException("timestamp overflow");
    }

    private static CelException durationOverflow() {
        return new CelException("integer overflow");
    }

    static OffsetDateTime parse(String text) throws DateTimeException {
        if (!hasShape(text)) {
            throw new DateTimeException("not RFC 3339");
        }
        return bounded(OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME));
    }

    /** ISO allows more than RFC 3339 does: seconds left out, years of more digits. */
    private static boolean hasShape(String text) {
        return text.length() >= 20
                && text.charAt(4) == '-'
                && text.charAt(10) == 'T'
                && text.charAt(16) == ':'
                && (text.endsWith("Z")
                        || text.charAt(text.length() - 6) == '+'
                        || text.charAt(text.length() - 6) == '-');
    }

    static OffsetDateTime bounded(OffsetDateTime time) {
        long seconds = time.toEpochSecond();
        if (seconds < FIRST || seconds > LAST) {
            throw overflow();
        }
        return time;
    }

    static OffsetDateTime ofSeconds(long seconds) {
        if (seconds < FIRST || seconds > LAST) {
            throw overflow();
        }
        return Instant.ofEpochSecond(seconds).atOffset(ZoneOffset.UTC);
    }

    /** RFC 3339 with as many digits of a second as needed. */
    static String format(OffsetDateTime time) {
        return time.format(RFC3339);
    }

    static Duration parseDuration(String text) throws MalformedException {
        return GoDuration.parse(text);
    }

    /** Seconds as the shortest decimal number, which is what {@code string()} of a duration is. */
    static String seconds(Duration duration) {
        double seconds = duration.toSeconds() + duration.toNanosPart() / 1e9;
        BigDecimal shortest = new BigDecimal(Double.toString(seconds)).stripTrailingZeros();
        return shortest.toPlainString() + "s";
    }

    static Duration ofNanos(long nanos) {
        return Duration.ofNanos(nanos);
    }

    static Duration bounded(Duration left, Duration right, boolean minus) {
        try {
            long a = left.toNanos();
            long b = right.toNanos();
            return Duration.ofNanos(minus ? Math.subtractExact(a, b) : Math.addExact(a, b));
        } catch (ArithmeticException beyond) {
            throw durationOverflow();
        }
    }

    static Duration between(OffsetDateTime start, OffsetDateTime end) {
        try {
            return Duration.ofNanos(ChronoUnit.NANOS.between(start, end));
        } catch (ArithmeticException beyond) {
            throw durationOverflow();
        }
    }

    /** The part of a time that a getter is named after, in a zone. */
    static long part(String function, OffsetDateTime time, ZoneId zone) {
        var local = time.atZoneSameInstant(zone);
        return switch (function) {
            case "getFullYear" -> local.getYear();
            case "getMonth" -> local.getMonthValue() - 1;
            case "getDayOfYear" -> local.getDayOfYear() - 1;
            case "getDayOfMonth" -> local.getDayOfMonth() - 1;
            case "getDate" -> local.getDayOfMonth();
            case "getDayOfWeek" -> local.getDayOfWeek().getValue() % 7;
            case "getHours" -> local.getHour();
            case "getMinutes" -> local.getMinute();
            case "getSeconds" -> local.getSecond();
            default -> local.getNano() / 1_000_000;
        };
    }

    /** The whole duration in the unit that a getter is named after. */
    static long part(String function, Duration duration) {
        return switch (function) {
            case "getHours" -> duration.toHours();
            case "getMinutes" -> duration.toMinutes();
            case "getSeconds" -> duration.toNanos() / 1_000_000_000L;
            case "getMilliseconds" -> duration.toMillis();
            default -> throw Errors.noSuchOverload(function, duration);
        };
    }

    static ZoneId zone(String name) {
        int colon = name.indexOf(':');
        if (colon < 0) {
            return namedZone(name);
        }
        int hours = number(name.substring(0, colon));
        int minutes = number(name.substring(colon + 1));
        try {
            return ZoneOffset.ofTotalSeconds((hours * 60 + (name.startsWith("-") ? -minutes : minutes)) * 60);
        } catch (DateTimeException beyond) {
            throw new CelException("time zone offset out of range: " + name);
        }
    }

    private static ZoneId namedZone(String name) {
        try {
            return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
        } catch (DateTimeException unknown) {
            throw new CelException("unknown time zone " + name);
        }
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException wrong) {
            throw new CelException("strconv.Atoi: parsing \"" + digits + "\": invalid syntax");
        }
    }
}
