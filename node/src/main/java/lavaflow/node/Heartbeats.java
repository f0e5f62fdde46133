package lavaflow.node;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.Fanout;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of all nodes alive: one wheel turns once in ten seconds, and each of its notches renews the leases of
 * a few nodes together, so that they share the store's commits and no node has a timer of its own.
 */
final class Heartbeats implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
    static final Duration TURN = Duration.ofSeconds(10);
    /** In so many turns every node also writes its status, though nothing has changed. */
    private static final int TURNS_PER_STATUS = 30;

    private static final int MOST_NOTCHES = 100;
    private static final int PER_NOTCH = 16;
    /** Whoever beats waits for a commit, and all of a notch must fit into its time even where that takes long. */
    private static final int WIDTH = 64;

    private final List<NodeState> nodes;
    private final NodeAccess access;
    private final InstantSource clock;
    private final Fanout fanout = Fanout.parallel(WIDTH);
    private final int notches;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    Heartbeats(List<NodeState> nodes, NodeAccess access, InstantSource clock) {
        this.nodes = nodes;
        this.access = access;
        this.clock = clock;
        this.notches = Math.clamp((nodes.size() + PER_NOTCH - 1) / PER_NOTCH, 1, MOST_NOTCHES);
        this.thread = Thread.ofVirtual().name("heartbeats").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        long notchNanos = TURN.toNanos() / notches;
        long next = System.nanoTime();
        try {
            for (long notch = 0; ; notch++) {
                beat((int) (notch % notches), notch / notches);
                next += notchNanos;
                long behind = System.nanoTime() - next;
                // Whoever fell behind by a whole turn does not hurry to make up for it.
                if (behind > TURN.toNanos()) {
                    next += behind;
                }
                if (closed.await(Math.max(0, -behind), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void beat(int notch, long turn) {
        List<Runnable> tasks = new ArrayList<>();
        for (int i = notch; i < nodes.size(); i += notches) {
            NodeState state = nodes.get(i);
            boolean whole = (turn + i) % TURNS_PER_STATUS == 0 && turn > 0;
            if (state.isReachable()) {
                tasks.add(() -> beat(state, whole));
            }
        }
        fanout.run(tasks);
    }

    /** Renews one node's lease, and its status where that is due. */
    void beat(NodeState state, boolean whole) {
        String name = state.node().name();
        KubeApi api = access.as(name);
        Instant now = clock.instant();
        try {
            NodeLease.renew(api, name, state.uid(), now);
            if (whole) {
                writeHealth(state, false);
            }
        } catch (ApiException e) {
            if (e.code() != 404) {
                LOG.warn("node {} has no heartbeat: {}", name, e.getMessage());
            }
        }
    }

    /** Writes how the node is. */
    void writeHealth(NodeState state, boolean changed) {
        ObjectNode patch = Json.object();
        Json.ensureObject(patch, "status")
                .set("conditions", NodeForm.conditions(state.health(), clock.instant(), changed));
        String name = state.node().name();
        access.as(name).patch(SimNodes.NODES, "", name, "status", KubeApi.Merge.STRATEGIC, patch);
    }

    @Override
    public void close() {
        closed.countDown();
        if (thread.getState() == Thread.State.NEW) {
            return; // closed before it was started
        }
        try {
            thread.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
