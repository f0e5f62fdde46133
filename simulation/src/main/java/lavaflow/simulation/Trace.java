package lavaflow.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/** What happened, one line each, for a person to read when something went wrong. The beginning of a long run is forgotten. */
final class Trace {
    private static final int LINES = 20_000;

    private final VirtualClock clock;
    private final Deque<String> lines = new ArrayDeque<>();
    private int hash = 1;

    Trace(VirtualClock clock) {
        this.clock = clock;
    }

    void add(String who, String what) {
        long millis = clock.elapsed().toMillis();
        String line = "%6d.%03d  %-12s %s".formatted(millis / 1000, millis % 1000, who, what);
        hash = 31 * hash + line.hashCode();
        lines.add(line);
        if (lines.size() > LINES) {
            lines.removeFirst();
        }
    }

    /** A number that differs between runs that went differently. */
    int fingerprint() {
        return hash;
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
