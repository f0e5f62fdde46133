package lavaflow.gang;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Lets pods that their gangs can begin without wait a moment while gangs are still coming: of gangs that come one after the other the
 * first would take everything otherwise, and the others could not begin. What a gang needs never waits, and nothing waits for long.
 */
final class Surplus {
    /** So many pauses are the most that anybody waits. */
    private static final int PAUSES = 4;

    /** New gangs, with when they were seen first; null until time is told. */
    private final Map<Gang, @Nullable Instant> coming = new LinkedHashMap<>();
    /** Since when pods of a gang wait for others to come. */
    private final Map<Gang, Instant> held = new LinkedHashMap<>();

    private Duration pause = Duration.ZERO;
    private Instant now = Instant.EPOCH;

    /** A gang that nobody has let into a queue yet; others were here before. */
    void came(Gang gang) {
        coming.put(gang, null);
    }

    void gone(Gang gang) {
        coming.remove(gang);
        held.remove(gang);
        gang.heldBack = false;
    }

    /**
     * Time goes by; the gangs whose pods waited and do not any longer.
     *
     * @param quiet how long nobody else may have come
     */
    List<Gang> pass(Instant time, Duration quiet) {
        now = time;
        pause = quiet;
        coming.replaceAll((_, since) -> since == null ? time : since);
        coming.keySet().removeIf(gang -> !end(gang).isAfter(time));
        List<Gang> released = new ArrayList<>();
        held.forEach((gang, since) -> {
            if (gang.heldBack && !isPatient(since)) {
                gang.heldBack = false;
                released.add(gang);
            }
        });
        if (coming.isEmpty()) {
            held.clear();
        }
        return released;
    }

    /** When a gang has come as far as others wait for it: its pods may take longer to be made than itself. */
    private Instant end(Gang gang) {
        Instant since = coming.get(gang);
        boolean complete = gang.tally().valid() >= gang.spec.minMember();
        return (since == null ? now : since).plus(complete ? pause : longest());
    }

    /** Whoever else is coming. */
    private Duration longest() {
        return pause.multipliedBy(PAUSES);
    }

    /** Whether a gang that has what it needs has to leave the rest for now. */
    boolean holds(Gang gang) {
        if (coming.isEmpty()) {
            return false;
        }
        gang.heldBack = isPatient(held.computeIfAbsent(gang, _ -> now));
        return gang.heldBack;
    }

    private boolean isPatient(Instant since) {
        return !coming.isEmpty() && since.plus(longest()).isAfter(now);
    }

    /** When somebody who waits need not any longer; null if nobody does. */
    @Nullable
    Instant next() {
        Instant patience = null;
        for (Map.Entry<Gang, Instant> each : held.entrySet()) {
            if (each.getKey().heldBack) {
                patience = Plugin.Timed.first(patience, each.getValue().plus(longest()));
            }
        }
        if (patience == null) {
            return null;
        }
        Instant last = now;
        for (Gang gang : coming.keySet()) {
            Instant end = end(gang);
            last = end.isAfter(last) ? end : last;
        }
        return Plugin.Timed.first(patience, last);
    }
}
