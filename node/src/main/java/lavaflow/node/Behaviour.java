package lavaflow.node;

import java.time.Duration;

import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What annotations ask of a simulated pod. A key may be followed by {@code .CONTAINER} to speak of one container. What
 * cannot be read counts as not written.
 *
 * @param annotations of the pod
 * @param slowdown how many times longer everything takes on its node
 */
record Behaviour(@Nullable JsonNode annotations, SimShape.Defaults defaults, double slowdown) {
    static final String PREFIX = "sim.lavaflow.io/";
    static final String START_DELAY = PREFIX + "start-delay";
    static final String READY_AFTER = PREFIX + "ready-after";
    static final String DURATION = PREFIX + "duration";
    static final String STOP_DELAY = PREFIX + "stop-delay";
    static final String EXIT_CODE = PREFIX + "exit-code";
    static final String FAIL_PROBABILITY = PREFIX + "fail-probability";

    Duration startDelay() {
        Duration written = duration(START_DELAY);
        return slowed(written == null ? defaults.startDelay() : written);
    }

    Duration stopDelay() {
        Duration written = duration(STOP_DELAY);
        return slowed(written == null ? defaults.stopDelay() : written);
    }

    @Nullable
    Duration readyAfter(String container) {
        return slowedOrNull(durationOf(READY_AFTER, container));
    }

    /** How long a container of the pod runs; null for ever. */
    @Nullable
    Duration duration(String container, boolean mayEnd) {
        Duration written = durationOf(DURATION, container);
        return slowedOrNull(written == null && mayEnd ? defaults.duration() : written);
    }

    /** What is written of an init container alone: what the pod does has nothing to do with it. */
    @Nullable
    Duration initDuration(String container) {
        return slowedOrNull(duration(DURATION + "." + container));
    }

    int initExitCode(String container) {
        return number(EXIT_CODE + "." + container, 0);
    }

    int exitCode(String container) {
        return number(EXIT_CODE + "." + container, number(EXIT_CODE, 0));
    }

    @Nullable
    Double failProbability(String container) {
        String text = text(FAIL_PROBABILITY + "." + container);
        String written = text.isEmpty() ? text(FAIL_PROBABILITY) : text;
        try {
            return written.isEmpty() ? null : Double.valueOf(written);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private String text(String key) {
        return Json.textAt(annotations, key);
    }

    private int number(String key, int absent) {
        try {
            String text = text(key);
            return text.isEmpty() ? absent : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return absent;
        }
    }

    private @Nullable Duration durationOf(String key, String container) {
        Duration own = duration(key + "." + container);
        return own == null ? duration(key) : own;
    }

    private @Nullable Duration duration(String key) {
        String text = text(key);
        try {
            return text.isEmpty() ? null : GoDuration.parse(text);
        } catch (MalformedException e) {
            return null;
        }
    }

    private @Nullable Duration slowedOrNull(@Nullable Duration duration) {
        return duration == null ? null : slowed(duration);
    }

    Duration slowed(Duration duration) {
        return slowdown == 1 ? duration : Duration.ofNanos((long) (duration.toNanos() * slowdown));
    }
}
