package lavaflow.cel;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/** Text formats of schemas, as lenient as upstream reads them. */
public final class StringFormats {
    private static final Pattern DURATION_PART = Pattern.compile("(\\d+)\\s*([A-Za-zµ]+)");
    private static final Pattern UUID =
            Pattern.compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    static final String DATE_TIME_PATTERN = "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    private static final Pattern TIME = Pattern.compile(DATE_TIME_PATTERN);
    private static final Pattern BASE64 =
            Pattern.compile("^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$");

    private StringFormats() {}

    /** A duration: Go's form, or numbers with units such as {@code 3 days}. */
    static Duration duration(String text) {
        Duration duration = findDuration(text);
        if (duration == null) {
            throw new CelException("Invalid duration " + text + ": unable to parse " + text + " as duration");
        }
        return duration;
    }

    private static @Nullable Duration findDuration(String text) {
        try {
            return GoDuration.parse(text);
        } catch (MalformedException other) {
            return worded(text);
        }
    }

    private static @Nullable Duration worded(String text) {
        Matcher matcher = DURATION_PART.matcher(text);
        long nanos = 0;
        boolean found = false;
        while (matcher.find()) {
            long unit = unit(matcher.group(2).toLowerCase(Locale.ROOT));
            if (matcher.group(1).length() > 18) {
                return null;
            }
            if (unit > 0) {
                found = true;
                nanos += Long.parseLong(matcher.group(1)) * unit;
            }
        }
        return found ? Duration.ofNanos(nanos) : null;
    }

    private static long unit(String name) {
        if (name.equals("ns") || name.startsWith("nano")) {
            return 1;
        }
        if (name.equals("us") || name.equals("µs") || name.startsWith("micro")) {
            return 1_000;
        }
        if (name.equals("ms") || name.startsWith("milli")) {
            return 1_000_000;
        }
        if (name.equals("s") || name.startsWith("sec")) {
            return 1_000_000_000L;
        }
        if (name.equals("m") || name.startsWith("min")) {
            return 60_000_000_000L;
        }
        if (name.equals("h") || name.equals("hr") || name.startsWith("hour")) {
            return 3_600_000_000_000L;
        }
        if (name.equals("d") || name.startsWith("day")) {
            return 86_400_000_000_000L;
        }
        return name.equals("w") || name.equals("wk") || name.startsWith("week") ? 604_800_000_000_000L : 0;
    }

    /** A point in time: RFC 3339, or without zone. */
    static OffsetDateTime dateTime(String text) {
        try {
            return Times.parse(text);
        } catch (DateTimeException | CelException other) {
            return withoutZone(text);
        }
    }

    private static OffsetDateTime withoutZone(String text) {
        if (text.isEmpty()) {
            return OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        }
        try {
            return LocalDateTime.parse(text).atOffset(ZoneOffset.UTC);
        } catch (DateTimeException wrong) {
            throw new CelException("Invalid date-time formatted string " + text + ": " + wrong.getMessage());
        }
    }

    public static boolean isDate(String text) {
        try {
            return text.length() == 10 && LocalDate.parse(text) != null;
        } catch (DateTimeException wrong) {
            return false;
        }
    }

    /** Upstream's check of {@code date-time}: a date, a T, and a time whose fields are in range. */
    public static boolean isDateTime(String text) {
        if (text.length() < 4) {
            return false;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        String[] parts = lower.split("t", -1);
        if (parts.length < 2 || !isDate(parts[0])) {
            return false;
        }
        Matcher time = TIME.matcher(parts[1]);
        return time.find()
                && Integer.parseInt(time.group(1)) <= 23
                && Integer.parseInt(time.group(2)) <= 59
                && Integer.parseInt(time.group(3)) <= 59;
    }

    public static boolean isUuid(String text) {
        return UUID.matcher(text).find();
    }

    public static boolean isBase64(String text) {
        return BASE64.matcher(text).find();
    }

    public static boolean isDuration(String text) {
        return findDuration(text) != null;
    }
}
