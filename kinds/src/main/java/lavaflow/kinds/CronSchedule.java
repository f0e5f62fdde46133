package lavaflow.kinds;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/**
 * The schedule of a CronJob: five fields, or a descriptor such as {@code @hourly}; with the complaints of the cron library
 * that upstream uses, and its habits where clocks are put forward or back.
 */
public final class CronSchedule {
    private static final Map<String, String> DESCRIPTORS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    /** Stands in a set of days for all of them: only then must both the day of the month and of the week fit. */
    private static final long ALL = 1L << 63;
    /** How far ahead a time is looked for. */
    private static final int YEARS = 5;

    private static final Map<String, Integer> MONTHS = Map.ofEntries(
            Map.entry("jan", 1),
            Map.entry("feb", 2),
            Map.entry("mar", 3),
            Map.entry("apr", 4),
            Map.entry("may", 5),
            Map.entry("jun", 6),
            Map.entry("jul", 7),
            Map.entry("aug", 8),
            Map.entry("sep", 9),
            Map.entry("oct", 10),
            Map.entry("nov", 11),
            Map.entry("dec", 12));

    private static final Map<String, Integer> DAYS =
            Map.of("sun", 0, "mon", 1, "tue", 2, "wed", 3, "thu", 4, "fri", 5, "sat", 6);

    /** A field's bounds, and names for some of its numbers. */
    private record Field(long least, long most, Map<String, Integer> names) {}

    private static final List<Field> FIELDS = List.of(
            new Field(0, 59, Map.of()),
            new Field(0, 23, Map.of()),
            new Field(1, 31, Map.of()),
            new Field(1, 12, MONTHS),
            new Field(0, 6, DAYS));

    /** The numbers of each field that fit, as bits; empty for a schedule of equal steps. */
    private final long[] fields;

    private final Duration every;
    private final ZoneId zone;

    private CronSchedule(long[] fields, Duration every, ZoneId zone) {
        this.fields = fields;
        this.every = every;
        this.zone = zone;
    }

    /**
     * Reads a schedule.
     *
     * @param local the time zone where the schedule names none
     */
    public static CronSchedule parse(String schedule, ZoneId local) throws MalformedException {
        String rest = schedule;
        ZoneId zone = local;
        if (rest.startsWith("TZ=") || rest.startsWith("CRON_TZ=")) {
            String name = zoneName(rest);
            zone = name.isEmpty() ? ZoneOffset.UTC : name.equals("Local") ? local : ZoneId.of(name);
            rest = rest.substring(rest.indexOf(' ')).strip();
        }
        if (rest.startsWith("@")) {
            String fields = DESCRIPTORS.get(rest);
            if (fields == null) {
                return new CronSchedule(new long[0], every(rest), zone);
            }
            rest = fields;
        }
        List<String> words = words(rest);
        if (words.size() != FIELDS.size()) {
            throw new MalformedException("expected exactly " + FIELDS.size() + " fields, found " + words.size() + ": "
                    + Nodes.goList(words));
        }
        long[] fields = new long[words.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = field(words.get(i), FIELDS.get(i));
        }
        return new CronSchedule(fields, Duration.ZERO, zone);
    }

    /** The first time after the given one; empty if there is none for years: the thirty-first of February. */
    public Optional<Instant> next(Instant after) {
        if (fields.length == 0) {
            return Optional.of(after.truncatedTo(ChronoUnit.SECONDS).plus(every));
        }
        return new Search(after).run();
    }

    /** Moves a time forward until it fits, from the longest unit to the shortest, and again when one overflows. */
    private final class Search {
        private ZonedDateTime time;
        private final int lastYear;
        /** Whether shorter units than the one that was moved are at their beginning. */
        private boolean moved;

        Search(Instant after) {
            time = after.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1).atZone(zone);
            lastYear = time.getYear() + YEARS;
        }

        Optional<Instant> run() {
            while (time.getYear() <= lastYear) {
                if (month() && day() && hour() && minute() && second()) {
                    return Optional.of(time.toInstant());
                }
            }
            return Optional.empty();
        }

        private boolean has(int field, int number) {
            return (fields[field] & (1L << number)) != 0;
        }

        private void begin(LocalDateTime local) {
            if (!moved) {
                moved = true;
                time = at(local);
            }
        }

        private boolean month() {
            while (!has(3, time.getMonthValue())) {
                begin(time.toLocalDate().withDayOfMonth(1).atStartOfDay());
                time = at(time.toLocalDateTime().plusMonths(1));
                if (time.getMonthValue() == 1) {
                    return false;
                }
            }
            return true;
        }

        private boolean day() {
            while (!isDay()) {
                begin(time.toLocalDate().atStartOfDay());
                time = at(time.toLocalDateTime().plusDays(1));
                // Where clocks are put forward at midnight, there is none.
                if (time.getHour() > 12) {
                    time = time.plus(Duration.ofHours(24L - time.getHour()));
                } else if (time.getHour() > 0) {
                    time = time.minus(Duration.ofHours(time.getHour()));
                }
                if (time.getDayOfMonth() == 1) {
                    return false;
                }
            }
            return true;
        }

        private boolean isDay() {
            boolean ofMonth = has(2, time.getDayOfMonth());
            boolean ofWeek = has(4, time.getDayOfWeek().getValue() % 7);
            boolean both = ((fields[2] | fields[4]) & ALL) != 0;
            return both ? ofMonth && ofWeek : ofMonth || ofWeek;
        }

        private boolean hour() {
            while (!has(1, time.getHour())) {
                begin(time.toLocalDateTime().truncatedTo(ChronoUnit.HOURS));
                time = time.plus(Duration.ofHours(1));
                if (time.getHour() == 0) {
                    return false;
                }
            }
            return true;
        }

        private boolean minute() {
            while (!has(0, time.getMinute())) {
                if (!moved) {
                    moved = true;
                    time = time.truncatedTo(ChronoUnit.MINUTES);
                }
                time = time.plus(Duration.ofMinutes(1));
                if (time.getMinute() == 0) {
                    return false;
                }
            }
            return true;
        }

        /** Schedules know whole minutes only. */
        private boolean second() {
            if (time.getSecond() == 0) {
                return true;
            }
            moved = true;
            time = time.plus(Duration.ofSeconds(60L - time.getSecond()));
            return false;
        }
    }

    /** A moment by its local time; where there is none or two of them, the one Go takes. */
    private ZonedDateTime at(LocalDateTime local) {
        ZoneRules rules = zone.getRules();
        Instant unshifted = local.toInstant(ZoneOffset.UTC);
        ZoneOffset guess = rules.getOffset(unshifted);
        ZoneOffset offset = rules.getOffset(local.toInstant(guess));
        return local.toInstant(offset).atZone(zone);
    }

    /** Splits at what Go takes for white space. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : ' ';
            if (Character.isSpaceChar(c) || (c >= '\t' && c <= '\r') || c == '\u0085') {
                if (!word.isEmpty()) {
                    words.add(word.toString());
                    word.setLength(0);
                }
            } else {
                word.append(c);
            }
        }
        return words;
    }

    private static String zoneName(String schedule) throws MalformedException {
        int space = schedule.indexOf(' ');
        if (space < 0) {
            // Upstream's library runs into this, and upstream shows what the runtime says.
            throw new MalformedException("invalid schedule format: runtime error: slice bounds out of range [:-1]");
        }
        String zone = schedule.substring(schedule.indexOf('=') + 1, space);
        boolean known = zone.isEmpty()
                || zone.equals("Local")
                || ZoneId.getAvailableZoneIds().contains(zone);
        if (!known) {
            throw new MalformedException("provided bad location " + zone + ": unknown time zone " + zone);
        }
        return zone;
    }

    private static Duration every(String descriptor) throws MalformedException {
        String every = "@every ";
        if (!descriptor.startsWith(every)) {
            throw new MalformedException("unrecognized descriptor: " + descriptor);
        }
        try {
            long seconds = GoDuration.parseNanos(descriptor.substring(every.length())) / 1_000_000_000;
            return Duration.ofSeconds(Math.max(1, seconds));
        } catch (MalformedException e) {
            throw new MalformedException("failed to parse duration " + descriptor + ": " + e.getMessage());
        }
    }

    private static long field(String text, Field field) throws MalformedException {
        long bits = 0;
        for (String range : text.split(",", -1)) {
            if (!range.isEmpty()) {
                bits |= range(range, field);
            }
        }
        return bits;
    }

    private static long range(String text, Field field) throws MalformedException {
        String[] parts = text.split("/", -1);
        String[] ends = parts[0].split("-", -1);
        boolean all = ends[0].equals("*") || ends[0].equals("?");
        long start = all ? field.least : number(ends[0], field);
        long end = all ? field.most : start;
        if (!all && ends.length == 2) {
            end = number(ends[1], field);
        } else if (!all && ends.length > 2) {
            throw new MalformedException("too many hyphens: " + text);
        }
        long step = 1;
        if (parts.length == 2) {
            step = number(parts[1], null);
            end = ends.length == 1 ? field.most : end;
        } else if (parts.length > 2) {
            throw new MalformedException("too many slashes: " + text);
        }
        if (start < field.least) {
            throw new MalformedException(
                    "beginning of range (" + start + ") below minimum (" + field.least + "): " + text);
        }
        if (end > field.most) {
            throw new MalformedException("end of range (" + end + ") above maximum (" + field.most + "): " + text);
        }
        if (start > end) {
            throw new MalformedException(
                    "beginning of range (" + start + ") beyond end of range (" + end + "): " + text);
        }
        if (step == 0) {
            throw new MalformedException("step of range should be a positive number: " + text);
        }
        long bits = all && step == 1 ? ALL : 0;
        for (long number = start; number <= end; number += step) {
            bits |= 1L << number;
        }
        return bits;
    }

    private static long number(String text, @Nullable Field field) throws MalformedException {
        Integer named = field == null ? null : field.names.get(text.toLowerCase(Locale.ROOT));
        if (named != null) {
            return named;
        }
        long number;
        try {
            number = ascii(text) ? Long.parseLong(text) : fail(text, "invalid syntax");
        } catch (NumberFormatException e) {
            boolean digits = text.matches("[+-]?[0-9]+");
            number = fail(text, digits ? "value out of range" : "invalid syntax");
        }
        if (number < 0) {
            throw new MalformedException("negative number (" + number + ") not allowed: " + text);
        }
        return number;
    }

    private static boolean ascii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static long fail(String text, String why) throws MalformedException {
        throw new MalformedException("failed to parse int from " + text + ": strconv.Atoi: parsing "
                + FieldErrors.quoted(text) + ": " + why);
    }
}
