package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the system says of this program; two small reads, cheaper than Java's own beans, which would have to be loaded first.
 *
 * @param processor how long processors worked for it
 * @param memory its resident memory in bytes
 * @param foreground whether the terminal is its own, and not another job's of the same shell
 */
record ProgramUse(Duration processor, long memory, boolean foreground) {
    private static final int GROUP = 2;
    private static final int TERMINAL_GROUP = 5;
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;
    /** Linux counts in hundredths of a second there, however it counts itself. */
    private static final int TICK_MILLIS = 10;

    private static final String RESIDENT = "VmRSS:";

    static ProgramUse now() throws IOException {
        Path self = Path.of("/proc/self");
        return of(Files.readString(self.resolve("stat")), Files.readString(self.resolve("status")));
    }

    /** Reads both texts; names of programs may hold blanks and brackets. */
    static ProgramUse of(String stat, String status) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
        long kibibytes = status.lines()
                .filter(line -> line.startsWith(RESIDENT))
                .map(line -> line.substring(RESIDENT.length()).replace("kB", "").strip())
                .mapToLong(Long::parseLong)
                .sum();
        return new ProgramUse(
                Duration.ofMillis(ticks * TICK_MILLIS), kibibytes * 1024, fields[GROUP].equals(fields[TERMINAL_GROUP]));
    }
}
