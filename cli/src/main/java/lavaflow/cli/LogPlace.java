package lavaflow.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * How far the log of a container was read. Servers begin again at whole seconds; what was read of that second is known by its time.
 * Not safe for concurrent use.
 */
final class LogPlace {
    private String last = "";
    /** How many lines had just that time. */
    private int seen;

    private int repeated;

    /** Takes the time off a line; null where it was read before. */
    @Nullable
    Line read(String line) {
        int space = line.indexOf(' ');
        String time = space < 0 ? line : line.substring(0, space);
        String text = space < 0 ? "" : line.substring(space + 1);
        if (!isTime(time)) {
            return new Line("", line);
        }
        int order = compare(time, last);
        if (order < 0) {
            return null;
        }
        if (order == 0 && repeated < seen) {
            repeated++;
            return null;
        }
        seen = order == 0 ? seen + 1 : 1;
        repeated = seen;
        last = time;
        return new Line(time, text);
    }

    /** The second to begin again with; empty for the beginning. */
    String again() {
        repeated = 0;
        return last.isEmpty()
                ? ""
                : Instant.parse(last).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static boolean isTime(String word) {
        if (word.length() < 20 || word.charAt(4) != '-' || word.charAt(10) != 'T') {
            return false;
        }
        try {
            Instant.parse(word);
            return true;
        } catch (DateTimeParseException _) {
            return false;
        }
    }

    private static int compare(String time, String before) {
        return before.isEmpty() ? 1 : Instant.parse(time).compareTo(Instant.parse(before));
    }

    /** A line of a program and the time it was written, empty where none is known. */
    record Line(String time, String text) {}
}
