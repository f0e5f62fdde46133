package lavaflow.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kinds a server has, kept current once somebody wants to hear of changes: a change of the definitions of custom kinds
 * or of API services is a reason to ask again, and so is half a minute.
 */
final class Discovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);
    private static final String PLAIN = "application/json";
    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," + PLAIN;
    static final Duration POLL = Duration.ofSeconds(30);
    /** Definitions change in steps: names first, established a little later. */
    private static final Duration SETTLE = Duration.ofMillis(200);

    private static final List<KubeApi.Kind> REASONS = List.of(
            new KubeApi.Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", false),
            new KubeApi.Kind("apiregistration.k8s.io", "v1", "apiservices", false));

    /** A document of the server, and the mark by which it tells whether that changed. */
    private record Document(ObjectNode content, @Nullable String etag) {}

    private final Connection connection;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Semaphore reasons = new Semaphore(0);
    private @Nullable Document core;
    private @Nullable Document groups;
    private volatile KnownKinds known = new KnownKinds(List.of());
    private boolean following;
    private volatile boolean closed;

    Discovery(Connection connection) {
        this.connection = connection;
        refresh();
    }

    KnownKinds known() {
        return known;
    }

    /** Asks the server; true if its kinds changed. */
    private synchronized boolean refresh() {
        Document newCore = ask("/api", core);
        Document newGroups = ask("/apis", groups);
        boolean aggregated = isAggregated(newCore) && isAggregated(newGroups);
        if (aggregated && newCore.equals(core) && newGroups.equals(groups)) {
            return false;
        }
        List<KnownKinds.Served> served = new ArrayList<>();
        if (aggregated) {
            served.addAll(KnownKinds.ofGroups(newCore.content(), known));
            served.addAll(KnownKinds.ofGroups(newGroups.content(), known));
        } else {
            served.addAll(oneByOne(newCore, newGroups));
        }
        core = newCore;
        groups = newGroups;
        KnownKinds found = new KnownKinds(served);
        boolean changed = !found.equals(known);
        known = found;
        return changed;
    }

    private Document ask(String path, @Nullable Document before) {
        Connection.Answer answer = connection.getChanged(path, AGGREGATED, before == null ? null : before.etag());
        if (answer.code() == 304 && before != null) {
            return before;
        }
        return new Document(Connection.object(answer.body()), answer.etag());
    }

    private static boolean isAggregated(Document document) {
        return Json.textAt(document.content(), "kind").equals("APIGroupDiscoveryList");
    }

    /** For servers that do not tell everything at once. */
    private List<KnownKinds.Served> oneByOne(Document core, Document groups) {
        List<KnownKinds.Served> served = new ArrayList<>();
        for (JsonNode version : Json.listAt(core.content(), "versions")) {
            served.addAll(resources("/api/" + version.asText(), "", version.asText()));
        }
        for (JsonNode group : Json.listAt(groups.content(), "groups")) {
            String name = Json.textAt(group, "name");
            for (JsonNode version : Json.listAt(group, "versions")) {
                String label = Json.textAt(version, "version");
                served.addAll(resources("/apis/" + name + "/" + label, name, label));
            }
        }
        return served;
    }

    private List<KnownKinds.Served> resources(String path, String group, String version) {
        try {
            return KnownKinds.ofResources(
                    Connection.object(connection.get(path, PLAIN).body()));
        } catch (ApiException e) {
            LOG.debug("{} tells no resources: {}", path, e.getMessage());
            return known.of(group, version);
        }
    }

    /** Calls the listener after the kinds have changed. */
    synchronized void onChange(Runnable listener, KubeApi api) {
        listeners.add(listener);
        if (!following && !closed) {
            following = true;
            Thread.ofVirtual().name("discovery").start(this::follow);
            REASONS.forEach(kind ->
                    Thread.ofVirtual().name("discovery-" + kind.resource()).start(() -> followReason(api, kind)));
        }
    }

    private void follow() {
        try {
            while (!closed) {
                if (reasons.tryAcquire(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
                    Thread.sleep(SETTLE);
                    reasons.drainPermits();
                }
                refreshAndTell();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void refreshAndTell() {
        if (closed) {
            return;
        }
        try {
            if (refresh()) {
                listeners.forEach(Runnable::run);
            }
        } catch (ApiException e) {
            LOG.debug("kinds could not be asked for: {}", e.getMessage());
        }
    }

    /** Whoever may not see the definitions hears of changes by asking now and then. */
    private void followReason(KubeApi api, KubeApi.Kind kind) {
        try {
            while (!closed) {
                try {
                    long revision = api.list(kind, "", KubeApi.View.METADATA, _ -> {});
                    reasons.release();
                    watch(api, kind, revision);
                } catch (ApiException _) {
                    Thread.sleep(POLL);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(KubeApi api, KubeApi.Kind kind, long revision) throws InterruptedException {
        try (KubeApi.Watch watch = api.watch(kind, revision, KubeApi.View.METADATA)) {
            while (!closed) {
                if (!watch.next(POLL).events().isEmpty()) {
                    reasons.release();
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        reasons.release();
    }
}
