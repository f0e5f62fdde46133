package lavaflow.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import lavaflow.kinds.CronSchedule;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which of its times a cron job, of Kubernetes or of Volcano, has not met, and when the next one comes. Pure. */
public final class CronTimes {
    /** So many missed times look like a mistake of somebody's clock. */
    private static final long MANY = 100;
    /** Wake up shortly after a time rather than shortly before. */
    private static final Duration DELTA = Duration.ofMillis(100);

    /**
     * What was missed.
     *
     * @param earliest before which nothing is looked for
     * @param latest the latest time that was missed, null if none was
     * @param missed about how many were
     */
    public record Missed(Instant earliest, @Nullable Instant latest, long missed) {
        public boolean isMany() {
            return missed > MANY;
        }
    }

    /** A schedule without times, such as the thirty-first of February. */
    public static final class NoTimesException extends Exception {
        private static final long serialVersionUID = 1;

        NoTimesException() {
            super("time difference between two schedules is less than 1 second");
        }
    }

    private final ObjectNode cronJob;
    private final CronSchedule schedule;
    private final Instant now;

    public CronTimes(ObjectNode cronJob, CronSchedule schedule, Instant now) {
        this.cronJob = cronJob;
        this.schedule = schedule;
        this.now = now;
    }

    /** How long a start may be late, null where that does not matter. */
    public static @Nullable Duration deadline(ObjectNode cronJob) {
        long seconds = Json.longAt(cronJob, -1, "spec", "startingDeadlineSeconds");
        return seconds < 0 ? null : Duration.ofSeconds(seconds);
    }

    /**
     * What was missed until now.
     *
     * @param withDeadline whether times that are too late to be met count
     */
    public Missed missed(boolean withDeadline) throws NoTimesException {
        Instant earliest = PodState.time(Json.textAt(cronJob, "metadata", "creationTimestamp"));
        String last = Json.textAt(cronJob, "status", "lastScheduleTime");
        if (!last.isEmpty()) {
            earliest = PodState.time(last);
        }
        Duration deadline = withDeadline ? deadline(cronJob) : null;
        if (deadline != null && now.minus(deadline).isAfter(earliest)) {
            earliest = now.minus(deadline);
        }
        Instant first = schedule.next(earliest).orElseThrow(NoTimesException::new);
        Instant second = schedule.next(first).orElseThrow(NoTimesException::new);
        if (now.isBefore(first)) {
            return new Missed(earliest, null, 0);
        }
        if (now.isBefore(second)) {
            return new Missed(earliest, first, 0);
        }
        return count(earliest, first, second);
    }

    /** The number is an estimate by the first interval; the latest time is exact. */
    private Missed count(Instant earliest, Instant first, Instant second) throws NoTimesException {
        long interval = Math.round(Duration.between(first, second).toMillis() / 1000.0);
        if (interval < 1) {
            throw new NoTimesException();
        }
        long count = Duration.between(first, now).toSeconds() / interval + 1;
        Instant time = schedule.next(first.plusSeconds((count - 2) * interval)).orElse(null);
        Instant latest = null;
        while (time != null && !time.isAfter(now)) {
            latest = time;
            time = schedule.next(time).orElse(null);
        }
        return new Missed(earliest, latest, count);
    }

    /** How long until there is something to do. */
    public Optional<Duration> untilNext() {
        Instant from = now;
        try {
            Missed missed = missed(false);
            if (missed.latest() != null) {
                from = missed.latest();
            } else if (missed.missed() == 0) {
                from = missed.earliest();
            }
        } catch (NoTimesException e) {
            // Somebody may still change it; what counts from now on is what comes from now on.
            from = now;
        }
        return schedule.next(from).map(time -> Duration.between(now, time.plus(DELTA)));
    }
}
