package lavaflow.nodeserver;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

import org.jspecify.annotations.Nullable;

/**
 * A line of a container's log: when, on which stream, whether it is whole, what.
 *
 * @param bytes the file's, in which what was said begins and ends
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LogLine(String time, boolean stdout, boolean whole, byte[] bytes, int from, int to) {
    private static final int MOST_HEAD = 64;
    private static final DateTimeFormatter NANOS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.nnnnnnnnn'Z'");

    /** Null where it is none: a writer was killed in the middle of it. */
    static @Nullable LogLine parse(byte[] bytes, int from, int to) {
        int limit = Math.min(to, from + MOST_HEAD);
        int first = space(bytes, from, limit);
        int second = space(bytes, first + 1, limit);
        int third = space(bytes, second + 1, limit);
        if (first < 0 || second < 0) {
            return null;
        }
        int tagEnd = third < 0 ? to : third;
        boolean stdout = is(bytes, first + 1, second, "stdout");
        if (tagEnd == second + 1 || (!stdout && !is(bytes, first + 1, second, "stderr"))) {
            return null;
        }
        // Tags are parted by colons; only the first is known.
        boolean whole = bytes[second + 1] == 'F';
        if (!whole && bytes[second + 1] != 'P') {
            return null;
        }
        String time = new String(bytes, from, first - from, StandardCharsets.ISO_8859_1);
        return new LogLine(time, stdout, whole, bytes, third < 0 ? to : third + 1, to);
    }

    private static int space(byte[] bytes, int from, int to) {
        if (from <= 0 && from != 0) {
            return -1;
        }
        for (int i = from; i < to; i++) {
            if (bytes[i] == ' ') {
                return i;
            }
        }
        return -1;
    }

    private static boolean is(byte[] bytes, int from, int to, String word) {
        if (to - from != word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (bytes[from + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Null where nobody can read it. */
    @Nullable
    Instant instant() {
        try {
            return OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The time in the one form clients know, with all nine digits. */
    String printedTime() {
        boolean utc = time.endsWith("+00:00") || time.endsWith("Z");
        int end = time.length() - (time.endsWith("Z") ? 1 : 6);
        boolean nanos = utc && end == 29 && time.charAt(19) == '.';
        if (nanos) {
            return time.substring(0, 29) + "Z";
        }
        Instant instant = instant();
        return instant == null ? time : NANOS.format(instant.atOffset(ZoneOffset.UTC));
    }
}
