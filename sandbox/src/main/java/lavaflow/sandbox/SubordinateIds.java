package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import lavaflow.linux.UserNamespace;

/**
 * The users and groups of the machine that an ordinary user may use as others in namespaces of his own.
 *
 * @param users as written in /etc/subuid, numbered from 1 inside
 * @param groups as written in /etc/subgid
 */
record SubordinateIds(List<UserNamespace.Range> users, List<UserNamespace.Range> groups) {
    static SubordinateIds ofMachine(long user) {
        List<String> names = List.of(Long.toString(user), System.getProperty("user.name", ""));
        return new SubordinateIds(
                parse(lines(Path.of("/etc/subuid")), names), parse(lines(Path.of("/etc/subgid")), names));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Lines are {@code name-or-number:first:count}. */
    static List<UserNamespace.Range> parse(List<String> lines, List<String> names) {
        List<UserNamespace.Range> ranges = new ArrayList<>();
        long inside = 1;
        for (String line : lines) {
            String[] fields = line.strip().split(":", -1);
            if (fields.length == 3
                    && names.contains(fields[0])
                    && fields[1].matches("[0-9]{1,10}")
                    && fields[2].matches("[0-9]{1,10}")
                    && Long.parseLong(fields[2]) > 0) {
                long count = Long.parseLong(fields[2]);
                ranges.add(new UserNamespace.Range(inside, Long.parseLong(fields[1]), count));
                inside += count;
            }
        }
        return ranges;
    }

    boolean complete() {
        return !users.isEmpty() && !groups.isEmpty();
    }

    /** How newuidmap or newgidmap is told: inside, outside and count of each range, the user himself first. */
    List<String> arguments(Path program, long pid, long self, List<UserNamespace.Range> ranges) {
        List<String> arguments =
                new ArrayList<>(List.of(program.toString(), Long.toString(pid), "0", Long.toString(self), "1"));
        for (UserNamespace.Range range : ranges) {
            arguments.add(Long.toString(range.inside()));
            arguments.add(Long.toString(range.outside()));
            arguments.add(Long.toString(range.count()));
        }
        return arguments;
    }
}
