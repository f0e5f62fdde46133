package lavaflow.node;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a container behaves.
 *
 * @param sidecar an init container that goes on running
 * @param startsAfter how long its startup probe takes
 * @param readyAfter how long until it is ready
 * @param duration how long it runs; null for as long as it may
 * @param exitCodes what it ends with, the first time, after a restart and so on; the last one goes on
 * @param failProbability how likely it ends with something else than 0 instead; null where the exit code says it all
 * @param missing its image cannot be pulled
 */
record SimContainer(
        String name,
        String image,
        boolean sidecar,
        Duration startsAfter,
        Duration readyAfter,
        @Nullable Duration duration,
        List<Integer> exitCodes,
        @Nullable Double failProbability,
        boolean missing) {
    int exitCode(int restarts) {
        return exitCodes.get(Math.min(restarts, exitCodes.size() - 1));
    }
}
