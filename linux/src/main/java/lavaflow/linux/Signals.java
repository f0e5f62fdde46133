package lavaflow.linux;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** Signals by name, and sending them to processes that may be gone. */
public final class Signals {
    public static final int KILL = 9;
    public static final int TERM = 15;
    public static final int STOP = 19;

    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("HUP", 1),
            Map.entry("INT", 2),
            Map.entry("QUIT", 3),
            Map.entry("ILL", 4),
            Map.entry("TRAP", 5),
            Map.entry("ABRT", 6),
            Map.entry("BUS", 7),
            Map.entry("FPE", 8),
            Map.entry("KILL", 9),
            Map.entry("USR1", 10),
            Map.entry("SEGV", 11),
            Map.entry("USR2", 12),
            Map.entry("PIPE", 13),
            Map.entry("ALRM", 14),
            Map.entry("TERM", 15),
            Map.entry("STKFLT", 16),
            Map.entry("CHLD", 17),
            Map.entry("CONT", 18),
            Map.entry("STOP", 19),
            Map.entry("TSTP", 20),
            Map.entry("TTIN", 21),
            Map.entry("TTOU", 22),
            Map.entry("URG", 23),
            Map.entry("XCPU", 24),
            Map.entry("XFSZ", 25),
            Map.entry("VTALRM", 26),
            Map.entry("PROF", 27),
            Map.entry("WINCH", 28),
            Map.entry("IO", 29),
            Map.entry("POLL", 29),
            Map.entry("PWR", 30),
            Map.entry("SYS", 31),
            Map.entry("RTMIN", 34),
            Map.entry("RTMAX", 64));

    private Signals() {}

    /** The number of a signal written as SIGTERM, TERM, SIGRTMIN+3 or 15; 0 if there is none of that name. */
    public static int number(String name) {
        String upper = name.strip().toUpperCase(Locale.ROOT);
        if (upper.matches("[0-9]{1,2}")) {
            int number = Integer.parseInt(upper);
            return number <= 64 ? number : 0;
        }
        String bare = upper.startsWith("SIG") ? upper.substring(3) : upper;
        if (bare.matches("RT(MIN\\+|MAX-)[0-9]{1,2}")) {
            int offset = Integer.parseInt(bare.substring(6));
            int number = bare.startsWith("RTMIN") ? 34 + offset : 64 - offset;
            return number >= 34 && number <= 64 ? number : 0;
        }
        return NUMBERS.getOrDefault(bare, 0);
    }

    /** Sends a signal; false when there is no such process. */
    public static boolean send(long pid, int signal) throws IOException {
        try {
            CLibrary.call("signal " + pid, SystemCall.KILL, pid, signal);
            return true;
        } catch (SystemException e) {
            if (e.is(ErrorCode.ESRCH)) {
                return false;
            }
            throw e;
        }
    }
}
