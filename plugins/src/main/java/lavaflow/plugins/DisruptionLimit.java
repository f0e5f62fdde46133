package lavaflow.plugins;

import lavaflow.gang.Gang;
import lavaflow.gang.Stage;
import lavaflow.kube.Json;

/** How many pods of a gang may be taken away at a time, as its annotations say. */
final class DisruptionLimit {
    private static final String MIN_AVAILABLE = "volcano.sh/jdb-min-available";
    private static final String MAX_UNAVAILABLE = "volcano.sh/jdb-max-unavailable";
    /** Of those that say nothing. */
    private static final int USUAL = 1;

    private DisruptionLimit() {}

    /** How many may go now. */
    static int of(Gang gang) {
        int all = gang.members().size();
        int running = gang.tally().of(Stage.RUNNING);
        int unavailable = number(Json.textAt(gang.spec().annotations(), MAX_UNAVAILABLE), all);
        if (unavailable >= 0) {
            int ended = gang.tally().of(Stage.SUCCEEDED) + gang.tally().of(Stage.FAILED);
            return Math.max(0, unavailable - (all - ended - running));
        }
        int available = number(Json.textAt(gang.spec().annotations(), MIN_AVAILABLE), all);
        return available >= 0 ? Math.max(0, running - available) : USUAL;
    }

    /** A number or a part of all, rounded up; -1 for what is neither. */
    private static int number(String text, int all) {
        try {
            return text.endsWith("%")
                    ? (int) Math.ceil(Integer.parseInt(text.substring(0, text.length() - 1)) * all / 100.0)
                    : text.isEmpty() ? -1 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
