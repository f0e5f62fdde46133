package lavaflow.controller;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes part in the election of a leader: waits for the lease, keeps it, and gives it back.
 *
 * <p>Whoever leads must stop when {@link #run} returns: from then on somebody else may lead.
 */
public final class Candidate {
    private static final Logger LOG = LoggerFactory.getLogger(Candidate.class);
    private static final KubeApi.Kind LEASES = new KubeApi.Kind("coordination.k8s.io", "v1", "leases", true);

    /** Where the lease is, and who wants it. */
    public record Claim(String namespace, String name, String identity) {}

    /** The clocks of one machine, and its dice. */
    public record Clocks(InstantSource wall, LongSupplier nanoTime, DoubleSupplier chance) {}

    private final KubeApi api;
    private final Claim claim;
    private final Clocks clocks;
    private final LeaderElection election;
    private final EventRecorder events;
    private volatile boolean leading;
    private long renewedAtNanos;

    public Candidate(KubeApi api, Claim claim, Clocks clocks) {
        this.api = api;
        this.claim = claim;
        this.clocks = clocks;
        this.election = new LeaderElection(claim.identity());
        this.events = new EventRecorder(api, claim.name(), clocks.wall());
    }

    public boolean isLeading() {
        return leading;
    }

    /** The election in Prometheus' text format. */
    public String metrics() {
        return "# TYPE leader_election_master_status gauge\nleader_election_master_status{name=\"" + claim.name()
                + "\"} " + (leading ? 1 : 0) + "\n";
    }

    /**
     * Waits until it leads, calls the work, which must return soon, and renews the lease until that is not possible any
     * more or the thread is interrupted.
     *
     * @return true if it led and lost the lease; false if it was interrupted
     */
    public boolean run(Runnable work) {
        try {
            while (true) {
                boolean led = leading;
                Duration pause = attemptInTime();
                if (led && !leading) {
                    return true;
                }
                if (!led && leading) {
                    work.run();
                }
                Thread.sleep(pause);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** An attempt whose server does not answer must not make a leader of somebody who is none any more. */
    private Duration attemptInTime() throws InterruptedException {
        if (!leading) {
            return step();
        }
        Thread attempt = Thread.ofVirtual().name("lease").start(this::step);
        Duration left =
                LeaderElection.RENEW_DEADLINE.minusNanos(clocks.nanoTime().getAsLong() - renewedAt());
        boolean ended = left.isPositive() && attempt.join(left);
        if (!ended) {
            lose();
            attempt.interrupt();
        }
        return LeaderElection.RETRY;
    }

    private synchronized long renewedAt() {
        return renewedAtNanos;
    }

    /** Tries to get or to keep the lease; returns when to try again. */
    Duration step() {
        // Before asking: the lease begins to run when the server writes it, not when we hear of it.
        long now = clocks.nanoTime().getAsLong();
        boolean held = attempt(now);
        synchronized (this) {
            if (held) {
                renewedAtNanos = now;
            }
            long unrenewed = clocks.nanoTime().getAsLong() - renewedAtNanos;
            boolean late = unrenewed >= LeaderElection.RENEW_DEADLINE.toNanos();
            if (!leading && held && !late) {
                leading = true;
                LOG.info("{} leads: it got the lease {}/{}", claim.identity(), claim.namespace(), claim.name());
            } else if (leading && late) {
                lose();
            }
        }
        double factor =
                leading ? 1 : 1 + LeaderElection.JITTER * clocks.chance().getAsDouble();
        return Duration.ofMillis((long) (LeaderElection.RETRY.toMillis() * factor));
    }

    private synchronized void lose() {
        if (leading) {
            leading = false;
            LOG.error("the lease {}/{} could not be renewed in time and is lost", claim.namespace(), claim.name());
        }
    }

    /** True if the lease is ours now. */
    private boolean attempt(long nowNanos) {
        try {
            ObjectNode lease = api.find(LEASES, claim.namespace(), claim.name()).orElse(null);
            if (lease == null) {
                ObjectNode made = Json.object();
                made.putObject("metadata").put("name", claim.name()).put("namespace", claim.namespace());
                made.set("spec", election.first(clocks.wall().instant()));
                tellBeginning(api.create(LEASES, claim.namespace(), made));
                return true;
            }
            ObjectNode spec = Json.ensureObject(lease, "spec");
            boolean mine = Json.textAt(spec, "holderIdentity").equals(claim.identity());
            ObjectNode next = election.next(spec, clocks.wall().instant(), nowNanos);
            if (next == null) {
                return false;
            }
            lease.set("spec", merged(spec, next));
            ObjectNode written = api.update(LEASES, "", lease);
            if (!mine) {
                tellBeginning(written);
            }
            return true;
        } catch (ApiException e) {
            if (e.code() != 409) {
                LOG.atLevel(leading || e.code() < 500 ? Level.WARN : Level.DEBUG)
                        .log("cannot get the lease {}/{}: {}", claim.namespace(), claim.name(), e.getMessage());
            }
            return false;
        }
    }

    /** What others put into the lease beside the election stays. */
    private static ObjectNode merged(ObjectNode spec, ObjectNode next) {
        ObjectNode merged = spec.deepCopy();
        merged.setAll(next);
        return merged;
    }

    private void tellBeginning(ObjectNode lease) {
        events.normal(lease, "LeaderElection", claim.identity() + " became leader");
    }

    /** Lets the next one lead at once, if this one does. Call after the work has ended. */
    public void release() {
        if (!leading) {
            return;
        }
        leading = false;
        try {
            @Nullable
            ObjectNode lease = api.find(LEASES, claim.namespace(), claim.name()).orElse(null);
            if (lease != null && Json.textAt(lease, "spec", "holderIdentity").equals(claim.identity())) {
                ObjectNode spec = Json.ensureObject(lease, "spec");
                lease.set(
                        "spec",
                        merged(spec, election.release(spec, clocks.wall().instant())));
                api.update(LEASES, "", lease);
                events.normal(lease, "LeaderElection", claim.identity() + " stopped leading");
            }
        } catch (ApiException e) {
            LOG.warn("cannot give back the lease {}/{}: {}", claim.namespace(), claim.name(), e.getMessage());
        }
    }
}
