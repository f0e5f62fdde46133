package lavaflow.kinds;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/**
 * The schedule syntax of CronJobs: five fields, or a descriptor such as {@code @hourly}; with the complaints of the cron
 * library that upstream uses.
 */
final class CronSchedule {
    private static final Set<String> DESCRIPTORS =
            Set.of("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly");

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

    private CronSchedule() {}

    /** Does nothing if the schedule is well-formed. */
    static void check(String schedule) throws MalformedException {
        String rest = schedule;
        if (rest.startsWith("TZ=") || rest.startsWith("CRON_TZ=")) {
            rest = withoutZone(rest);
        }
        if (rest.startsWith("@")) {
            checkDescriptor(rest);
            return;
        }
        List<String> words = words(rest);
        if (words.size() != FIELDS.size()) {
            throw new MalformedException("expected exactly " + FIELDS.size() + " fields, found " + words.size() + ": "
                    + Nodes.goList(words));
        }
        for (int i = 0; i < words.size(); i++) {
            checkField(words.get(i), FIELDS.get(i));
        }
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

    private static String withoutZone(String schedule) throws MalformedException {
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
        return schedule.substring(space).strip();
    }

    private static void checkDescriptor(String descriptor) throws MalformedException {
        if (DESCRIPTORS.contains(descriptor)) {
            return;
        }
        String every = "@every ";
        if (!descriptor.startsWith(every)) {
            throw new MalformedException("unrecognized descriptor: " + descriptor);
        }
        try {
            GoDuration.parseNanos(descriptor.substring(every.length()));
        } catch (MalformedException e) {
            throw new MalformedException("failed to parse duration " + descriptor + ": " + e.getMessage());
        }
    }

    private static void checkField(String text, Field field) throws MalformedException {
        for (String range : text.split(",", -1)) {
            if (!range.isEmpty()) {
                checkRange(range, field);
            }
        }
    }

    private static void checkRange(String text, Field field) throws MalformedException {
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
