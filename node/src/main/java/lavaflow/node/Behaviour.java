package lavaflow.node;

import java.time.Duration;
import java.util.List;

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
    Duration duration(String container, @Nullable Play play, boolean mayEnd) {
        Duration written = durationOf(DURATION, container);
        if (written == null && play != null && play.duration() != null) {
            return slowedOrNull(play.duration());
        }
        return slowedOrNull(written == null && mayEnd ? defaults.duration() : written);
    }

    /** What is written of an init container alone: what the pod does has nothing to do with it. */
    @Nullable
    Duration initDuration(String container, @Nullable Play play) {
        Duration written = duration(DURATION + "." + container);
        return slowedOrNull(written == null && play != null ? play.duration() : written);
    }

    List<Integer> initExitCodes(String container, @Nullable Play play) {
        return parsedCodes(text(EXIT_CODE + "." + container), play);
    }

    List<Integer> exitCodes(String container, @Nullable Play play) {
        String own = text(EXIT_CODE + "." + container);
        return parsedCodes(own.isEmpty() ? text(EXIT_CODE) : own, play);
    }

    /** What is to become of a container by the shape of the node; annotations have the last word. */
    @Nullable
    Play play(JsonNode container) {
        String index = text("batch.kubernetes.io/job-completion-index");
        for (Play each : defaults.plays()) {
            if (each.fits(container, index)) {
                return each;
            }
        }
        return null;
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

    private static List<Integer> parsedCodes(String written, @Nullable Play play) {
        List<Integer> unwritten = play == null ? List.of(0) : play.exitCodes();
        try {
            return written.isEmpty() ? unwritten : List.of(Integer.parseInt(written));
        } catch (NumberFormatException e) {
            return unwritten;
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
