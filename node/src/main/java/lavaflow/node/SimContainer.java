package lavaflow.node;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a container behaves.
 *
 * @param sidecar an init container that goes on running
 * @param startsAfter how long its startup probe takes
 * @param readyAfter how long until it is ready
 * @param duration how long it runs; null for as long as it may
 * @param exitCode what it ends with
 * @param failProbability how likely it ends with something else than 0 instead; null where the exit code says it all
 */
record SimContainer(
        String name,
        String image,
        boolean sidecar,
        Duration startsAfter,
        Duration readyAfter,
        @Nullable Duration duration,
        int exitCode,
        @Nullable Double failProbability) {}
