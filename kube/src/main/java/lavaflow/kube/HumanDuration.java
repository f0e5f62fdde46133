package lavaflow.kube;

import java.time.Duration;
import java.time.Instant;

/** Lengths of time for people, as in the AGE column: two or three significant figures. */
public final class HumanDuration {
    private HumanDuration() {}

    public static String format(Duration duration) {
        // Go truncates towards zero where Duration's own seconds round down.
        long seconds = duration.isNegative() ? -duration.negated().toSeconds() : duration.toSeconds();
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 120) {
            return Math.max(seconds, 0) + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return minutes + "m" + rest(seconds % 60, "s");
        }
        if (minutes < 180) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        if (hours < 8) {
            return hours + "h" + rest(minutes % 60, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        long days = hours / 24;
        if (days < 8) {
            return days + "d" + rest(hours % 24, "h");
        }
        if (days < 365 * 2) {
            return days + "d";
        }
        long years = days / 365;
        return years < 8 ? years + "y" + rest(days % 365, "d") : years + "y";
    }

    private static String rest(long amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }

    /** How long ago a timestamp was; {@code <unknown>} where there is none. */
    public static String since(String timestamp, Instant now) {
        if (timestamp.isEmpty()) {
            return "<unknown>";
        }
        try {
            return format(Duration.between(Instant.parse(timestamp), now));
        } catch (java.time.format.DateTimeParseException e) {
            return "<unknown>";
        }
    }
}
