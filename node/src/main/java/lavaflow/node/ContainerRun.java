package lavaflow.node;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How far one container is.
 *
 * @param restarts how often it was started again
 * @param crashes how often lately, which decides how long it has to wait
 * @param last how it ended before
 * @param started its startup probe has succeeded, or it has none
 */
record ContainerRun(
        String name,
        State state,
        int restarts,
        int crashes,
        @Nullable Ended last,
        boolean started,
        boolean ready) {
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LAST_PAUSE = Duration.ofMinutes(5);
    /** Whoever ran that long has not crashed lately. */
    private static final Duration FORGIVEN = Duration.ofMinutes(10);

    /** What a container is doing. */
    sealed interface State {}

    /** Not yet started. */
    record Waiting() implements State {}

    record Running(Instant since) implements State {}

    /** Ended; the number tells which of its lives it was. */
    record Ended(Instant since, Instant at, int exitCode, String reason, int life) implements State {}

    /** Ended, and has to wait before it is started again. */
    record BackingOff(Instant until, Duration pause) implements State {}

    /** Never started, and never will: its pod has ended before. */
    record Missing() implements State {}

    static ContainerRun waiting(String name) {
        return new ContainerRun(name, new Waiting(), 0, 0, null, false, false);
    }

    boolean isRunning() {
        return state instanceof Running;
    }

    /** Started at a moment, for the first time or again. */
    ContainerRun start(Instant at) {
        boolean again = last != null || state instanceof Ended;
        Ended before = state instanceof Ended ended ? ended : last;
        return new ContainerRun(name, new Running(at), again ? restarts + 1 : restarts, crashes, before, false, false);
    }

    ContainerRun probed(boolean nowStarted, boolean nowReady) {
        return new ContainerRun(name, state, restarts, crashes, last, nowStarted, nowReady);
    }

    ContainerRun end(Instant at, int exitCode) {
        Instant since = state instanceof Running running ? running.since() : at;
        String reason = exitCode == 0 ? "Completed" : "Error";
        boolean forgiven = Duration.between(since, at).compareTo(FORGIVEN) >= 0;
        return new ContainerRun(
                name,
                new Ended(since, at, exitCode, reason, restarts),
                restarts,
                forgiven ? 0 : crashes,
                last,
                false,
                false);
    }

    /** What it is once its pod has ended, and it does not run. */
    ContainerRun leftBehind() {
        State rest = switch (state) {
            case Waiting() -> new Missing();
            case BackingOff(Instant _, Duration _) -> last == null ? new Missing() : last;
            case Running running -> running;
            case Ended ended -> ended;
            case Missing missing -> missing;
        };
        Ended before = state instanceof BackingOff ? null : last;
        return new ContainerRun(name, rest, restarts, crashes, before, started, ready);
    }

    /** What follows an end where the container is to run again: the first time at once, then after ever longer pauses. */
    ContainerRun again(Ended ended) {
        if (crashes == 0) {
            return new ContainerRun(name, state, restarts, 1, last, false, false).start(ended.at());
        }
        long seconds = Math.min(FIRST_PAUSE.toSeconds() << Math.min(crashes - 1, 10), LAST_PAUSE.toSeconds());
        Duration pause = Duration.ofSeconds(seconds);
        return new ContainerRun(
                name, new BackingOff(ended.at().plus(pause), pause), restarts, crashes + 1, ended, false, false);
    }
}
