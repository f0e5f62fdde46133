package lavaflow.controller;

import java.time.Duration;
import java.time.Instant;

import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Who leads among many, decided as client-go does, so that both can take part in one election.
 *
 * <p>A lease is held for as long as others have seen no change of it; its times are for people to read. Nobody compares
 * clocks: what counts is how long the own one ran since the last change was seen. That is safe as long as no clock runs
 * more than half as fast again as another (the ratio of {@link #LEASE} and {@link #RENEW_DEADLINE}).
 *
 * <p>Pure: clocks and leases come in, what to write goes out.
 */
final class LeaderElection {
    static final Duration LEASE = Duration.ofSeconds(15);
    static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    static final Duration RETRY = Duration.ofSeconds(2);
    /** How much longer than {@link #RETRY} those who do not lead may wait, so that they do not all ask at once. */
    static final double JITTER = 1.2;

    private final String identity;
    private @Nullable ObjectNode observed;
    private long observedAtNanos;

    LeaderElection(String identity) {
        this.identity = identity;
    }

    /** What to write into a lease that is not there. */
    ObjectNode first(Instant now) {
        return spec(now, now, 0);
    }

    /**
     * What to write into a lease that is there; null while somebody else holds it.
     *
     * @param spec of the lease, as it is now
     */
    @Nullable
    ObjectNode next(ObjectNode spec, Instant now, long nowNanos) {
        if (!spec.equals(observed)) {
            observed = spec.deepCopy();
            observedAtNanos = nowNanos;
        }
        String holder = Json.textAt(spec, "holderIdentity");
        long seconds = Json.longAt(spec, LEASE.toSeconds(), "leaseDurationSeconds");
        boolean mine = holder.equals(identity);
        boolean held = !holder.isEmpty()
                && nowNanos - observedAtNanos < Duration.ofSeconds(seconds).toNanos();
        if (held && !mine) {
            return null;
        }
        long transitions = Json.longAt(spec, 0, "leaseTransitions");
        ObjectNode next = spec(now, now, mine ? transitions : transitions + 1);
        String acquired = Json.textAt(spec, "acquireTime");
        if (mine && !acquired.isEmpty()) {
            next.put("acquireTime", acquired);
        }
        return next;
    }

    /** What to write into the own lease to let the next one in at once. */
    ObjectNode release(ObjectNode spec, Instant now) {
        ObjectNode free = spec(now, now, Json.longAt(spec, 0, "leaseTransitions"));
        return free.put("holderIdentity", "").put("leaseDurationSeconds", 1);
    }

    private ObjectNode spec(Instant acquired, Instant renewed, long transitions) {
        return Json.object()
                .put("holderIdentity", identity)
                .put("leaseDurationSeconds", LEASE.toSeconds())
                .put("acquireTime", GoTime.micros(acquired))
                .put("renewTime", GoTime.micros(renewed))
                .put("leaseTransitions", transitions);
    }
}
