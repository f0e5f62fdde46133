package lavaflow.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The numbers of users and groups that a process can use. Outside of user namespaces these are all; inside of one they are
 * ranges of the machine's, and what root may there is limited to files and processes of those.
 *
 * @param users ranges of users, as seen from inside
 * @param groups ranges of groups
 * @param groupsChange whether processes may choose their further groups
 */
public record UserNamespace(List<Range> users, List<Range> groups, boolean groupsChange) {
    private static final long ALL = 0xffffffffL;

    /** Numbers that follow each other, and those they are outside. */
    public record Range(long inside, long outside, long count) {
        boolean contains(long number) {
            return number >= inside && number < inside + count;
        }
    }

    private static final class Own {
        static final UserNamespace VALUE = read();

        private static UserNamespace read() {
            try {
                Path self = Path.of("/proc/self");
                Path setgroups = self.resolve("setgroups");
                return parse(
                        Files.readString(self.resolve("uid_map")),
                        Files.readString(self.resolve("gid_map")),
                        Files.exists(setgroups) ? Files.readString(setgroups) : "allow");
            } catch (IOException e) {
                // A kernel without user namespaces.
                return parse("0 0 " + ALL, "0 0 " + ALL, "allow");
            }
        }
    }

    /** That of this process, which does not change. */
    public static UserNamespace own() {
        return Own.VALUE;
    }

    /** Whether this process is root: of the machine, or of its user namespace. */
    public static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** From what /proc says of a process: {@code uid_map}, {@code gid_map}, {@code setgroups}. */
    public static UserNamespace parse(String users, String groups, String setgroups) {
        return new UserNamespace(
                ranges(users), ranges(groups), !setgroups.strip().equals("deny"));
    }

    private static List<Range> ranges(String map) {
        List<Range> ranges = new ArrayList<>();
        for (String line : map.lines().toList()) {
            String[] numbers = line.strip().split("\\s+", -1);
            if (numbers.length == 3) {
                ranges.add(
                        new Range(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2])));
            }
        }
        return ranges;
    }

    /** Whether it is the machine's own, where root is really root. */
    public boolean isInitial() {
        return users.equals(List.of(new Range(0, 0, ALL)));
    }

    public boolean hasUser(long number) {
        return users.stream().anyMatch(range -> range.contains(number));
    }

    public boolean hasGroup(long number) {
        return groups.stream().anyMatch(range -> range.contains(number));
    }

    /** The largest number up to which there is every group, as far as the kernel counts them in ranges. */
    public long lastGroup() {
        long last = 0;
        for (Range range :
                groups.stream().sorted(Comparator.comparingLong(Range::inside)).toList()) {
            if (range.inside() <= last + 1) {
                last = Math.max(last, range.inside() + range.count() - 1);
            }
        }
        return Math.min(last, Integer.MAX_VALUE);
    }

    /** The user outside who is root inside, or -1. */
    public long owner() {
        return users.stream()
                .filter(range -> range.contains(0))
                .mapToLong(range -> range.outside() - range.inside())
                .findFirst()
                .orElse(-1);
    }

    /** How many users there are. */
    public long userCount() {
        return users.stream().mapToLong(Range::count).sum();
    }
}
