package lavaflow.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.node.NodeLease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the Node of this machine in the API: made at the start, renewed by a lease, told anew when something changes. */
final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    static final KubeApi.Kind NODES = KubeApi.Kind.clusterWide("nodes");
    private static final Duration TURN = Duration.ofSeconds(10);
    private static final Duration FULL = Duration.ofMinutes(5);

    private final KubeApi api;
    private final String name;
    private final NodeForm form;
    private final InstantSource clock;
    private final Supplier<NodeForm.Pressure> pressure;
    private ObjectNode node = Json.object();
    private NodeForm.@Nullable Pressure told;
    private Instant toldAt = Instant.EPOCH;
    private @Nullable Future<?> beating;

    Registration(KubeApi api, String name, NodeForm form, InstantSource clock, Supplier<NodeForm.Pressure> pressure) {
        this.api = api;
        this.name = name;
        this.form = form;
        this.clock = clock;
        this.pressure = pressure;
    }

    synchronized ObjectNode node() {
        return node;
    }

    /** The Node as somebody has written it. */
    void seen(ObjectNode object, boolean deleted) {
        synchronized (this) {
            node = deleted ? Json.object() : object;
        }
        if (deleted) {
            LOG.info("node {} was deleted; it registers again with its next beat", name);
        }
    }

    /** These are all Nodes there are: this one may have gone while nobody told. */
    void relisted(Set<String> uids) {
        String uid = Json.textAt(node(), "metadata", "uid");
        if (!uid.isEmpty() && !uids.contains(uid)) {
            seen(Json.object(), true);
        }
    }

    /** Registers, and beats from then on. */
    void start(Timers timers) {
        beating = timers.every(
                Duration.ZERO, TURN, () -> Thread.ofVirtual().name("heartbeat").start(this::beat));
    }

    void beat() {
        try {
            Instant now = clock.instant();
            if (Json.textAt(node(), "metadata", "uid").isEmpty()) {
                register(now);
            }
            NodeLease.renew(api, name, Json.textAt(node(), "metadata", "uid"), now);
            NodeForm.Pressure current = pressure.get();
            boolean due = form.hasNews()
                    || !current.equals(told)
                    || Duration.between(toldAt, now).compareTo(FULL) >= 0
                    || isGivenUp();
            if (due) {
                write(current, now);
            }
        } catch (ApiException e) {
            LOG.warn("node {} has no heartbeat: {}", name, e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("node {} has no heartbeat", name, e);
        }
    }

    /** Whether somebody has written that nothing is known of the node. */
    private boolean isGivenUp() {
        for (var condition : Json.listAt(node(), "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Ready")) {
                return !Json.textAt(condition, "status").equals("True");
            }
        }
        return true;
    }

    private void register(Instant now) {
        ObjectNode made;
        try {
            made = api.create(NODES, "", form.node(now));
            LOG.info("node {} has registered", name);
        } catch (ApiException e) {
            if (!e.reason().equals("AlreadyExists")) {
                throw e;
            }
            ObjectNode patch = Json.object();
            Json.ensureObject(patch, "metadata").set("labels", form.labels());
            made = api.patch(NODES, "", name, "", KubeApi.Merge.STRATEGIC, patch);
        }
        synchronized (this) {
            node = made;
        }
    }

    private void write(NodeForm.Pressure current, Instant now) {
        ObjectNode patch = Json.object();
        ObjectNode status = form.status(node(), current, now);
        // Addresses are merged by their type; one that is not told any more must go.
        Json.listAt(status, "addresses").insertObject(0).put("$patch", "replace");
        patch.set("status", status);
        ObjectNode answer = api.patch(NODES, "", name, "status", KubeApi.Merge.STRATEGIC, patch);
        synchronized (this) {
            node = answer;
            told = current;
            toldAt = now;
        }
    }

    @Override
    public void close() {
        Future<?> running = beating;
        if (running != null) {
            running.cancel(false);
        }
    }
}
