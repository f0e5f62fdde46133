package lavaflow.kube;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Points in time as Kubernetes writes them: RFC 3339 in UTC, with seconds or with microseconds. */
public final class GoTime {
    private static final String SECONDS_LAYOUT = "2006-01-02T15:04:05Z07:00";
    private static final String MICROS_LAYOUT = "2006-01-02T15:04:05.000000Z07:00";

    /** A second and its text. */
    private record Written(long second, String text) {}

    /** Every write of an object asks for the same second several times. */
    private static volatile Written last = new Written(0, "1970-01-01T00:00:00Z");

    private GoTime() {}

    /** The form of most timestamps: {@code 2026-11-15T09:30:00Z}. */
    public static String seconds(Instant time) {
        Written known = last;
        if (known.second == time.getEpochSecond()) {
            return known.text;
        }
        StringBuilder text = new StringBuilder(20);
        appendSeconds(text, time);
        Written next = new Written(time.getEpochSecond(), text.append('Z').toString());
        last = next;
        return next.text;
    }

    /** The form of leases and events: {@code 2026-11-15T09:30:00.000000Z}. */
    public static String micros(Instant time) {
        StringBuilder text = new StringBuilder(27);
        appendSeconds(text, time);
        text.append('.');
        pad(text, time.get(java.time.temporal.ChronoField.MICRO_OF_SECOND), 6);
        return text.append('Z').toString();
    }

    private static void appendSeconds(StringBuilder text, Instant time) {
        LocalDateTime utc = LocalDateTime.ofEpochSecond(time.getEpochSecond(), 0, ZoneOffset.UTC);
        pad(text, utc.getYear(), 4);
        text.append('-');
        pad(text, utc.getMonthValue(), 2);
        text.append('-');
        pad(text, utc.getDayOfMonth(), 2);
        text.append('T');
        pad(text, utc.getHour(), 2);
        text.append(':');
        pad(text, utc.getMinute(), 2);
        text.append(':');
        pad(text, utc.getSecond(), 2);
    }

    private static void pad(StringBuilder text, int number, int width) {
        String digits = Integer.toString(number);
        text.repeat('0', Math.max(0, width - digits.length())).append(digits);
    }

    /** Reads a timestamp; a fraction of a second is allowed and dropped, as upstream's storage drops it. */
    public static Instant parseSeconds(String text) throws MalformedException {
        return new Reader(text, SECONDS_LAYOUT).read(false).truncatedTo(ChronoUnit.SECONDS);
    }

    /** Reads a timestamp that has exactly six digits of fraction. */
    public static Instant parseMicros(String text) throws MalformedException {
        return new Reader(text, MICROS_LAYOUT).read(true);
    }

    /** Follows Go's time.Parse step by step, because its complaints name the first element that does not fit. */
    private static final class Reader {
        private final String text;
        private final String layout;
        private int position;

        Reader(String text, String layout) {
            this.text = text;
            this.layout = layout;
        }

        Instant read(boolean micros) {
            int year = digits(4, "2006");
            literal("-");
            int month = inRange(digits(2, "01"), 1, 12, "month");
            literal("-");
            int day = digits(2, "02");
            literal("T");
            int hour = inRange(hour(), 0, 23, "hour");
            literal(":");
            int minute = inRange(digits(2, "04"), 0, 59, "minute");
            literal(":");
            int second = inRange(digits(2, "05"), 0, 59, "second");
            int nanos = micros ? fraction(6, ".000000") : optionalFraction();
            int offsetSeconds = zone();
            if (position < text.length()) {
                throw complaint(": extra text: " + GoDuration.quote(rest()));
            }
            if (day < 1 || day > YearMonth.of(year, month).lengthOfMonth()) {
                throw complaint(": day out of range");
            }
            try {
                return LocalDateTime.of(year, month, day, hour, minute, second, nanos)
                        .toInstant(ZoneOffset.UTC)
                        .minusSeconds(offsetSeconds);
            } catch (DateTimeException e) {
                throw complaint(": " + e.getMessage());
            }
        }

        private String rest() {
            return text.substring(position);
        }

        private boolean digitAt(int index) {
            return index < text.length() && NameScan.isDigit(text.charAt(index));
        }

        private MalformedException complaint(String why) {
            return new MalformedException("parsing time " + GoDuration.quote(text) + why);
        }

        private MalformedException mismatch(String element) {
            return complaint(" as " + GoDuration.quote(layout) + ": cannot parse " + GoDuration.quote(rest()) + " as "
                    + GoDuration.quote(element));
        }

        private void literal(String literal) {
            if (!text.startsWith(literal, position)) {
                throw mismatch(literal);
            }
            position += literal.length();
        }

        private int digits(int count, String element) {
            int number = 0;
            for (int i = 0; i < count; i++) {
                if (!digitAt(position + i)) {
                    throw mismatch(element);
                }
                number = number * 10 + text.charAt(position + i) - '0';
            }
            position += count;
            return number;
        }

        /** Go takes an hour of one digit here, and only here. */
        private int hour() {
            return digits(digitAt(position + 1) ? 2 : 1, "15");
        }

        private int inRange(int value, int least, int most, String what) {
            if (value < least || value > most) {
                throw complaint(": " + what + " out of range");
            }
            return value;
        }

        private boolean pointAt(int index) {
            return index < text.length() && (text.charAt(index) == '.' || text.charAt(index) == ',');
        }

        private int optionalFraction() {
            if (!pointAt(position) || !digitAt(position + 1)) {
                return 0;
            }
            int end = position + 1;
            while (digitAt(end)) {
                end++;
            }
            int nanos = 0;
            for (int i = 0; i < 9; i++) {
                int index = position + 1 + i;
                nanos = nanos * 10 + (index < end ? text.charAt(index) - '0' : 0);
            }
            position = end;
            return nanos;
        }

        private int fraction(int count, String element) {
            if (!pointAt(position)) {
                throw mismatch(element);
            }
            int start = position++;
            int nanos = 0;
            for (int i = 0; i < 9; i++) {
                if (i < count && !digitAt(position + i)) {
                    position = start;
                    throw mismatch(element);
                }
                nanos = nanos * 10 + (i < count ? text.charAt(position + i) - '0' : 0);
            }
            position += count;
            return nanos;
        }

        private int zone() {
            if (text.startsWith("Z", position)) {
                position++;
                return 0;
            }
            int start = position;
            boolean shaped = start + 6 <= text.length()
                    && "+-".indexOf(text.charAt(start)) >= 0
                    && text.charAt(start + 3) == ':'
                    && digitAt(start + 1)
                    && digitAt(start + 2)
                    && digitAt(start + 4)
                    && digitAt(start + 5);
            if (!shaped) {
                throw mismatch("Z07:00");
            }
            position++;
            int hours = digits(2, "Z07:00");
            position++;
            int minutes = digits(2, "Z07:00");
            inRange(hours, 0, 24, "time zone offset hour");
            inRange(minutes, 0, 60, "time zone offset minute");
            int seconds = hours * 3_600 + minutes * 60;
            return text.charAt(start) == '-' ? -seconds : seconds;
        }
    }
}
