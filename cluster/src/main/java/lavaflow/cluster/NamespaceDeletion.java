package lavaflow.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import lavaflow.controller.ChangeListener;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Empties namespaces that are being deleted, pods first, and lets them go when nothing is left.
 *
 * <p>What goes wakes it: a namespace that waits for others is looked at when one of its objects is gone, and beyond that
 * only rarely.
 */
final class NamespaceDeletion implements ChangeListener {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final String FINALIZER = "kubernetes";

    /** Objects go in groups; one look serves all that went meanwhile. */
    private static final Duration SETTLE = Duration.ofMillis(20);

    static final Duration FIRST_RECHECK = Duration.ofMillis(500);
    static final Duration LAST_RECHECK = Duration.ofSeconds(30);

    /** When a write that was let in before the namespace began to go has surely arrived. */
    static final Duration AFTERMATH = Duration.ofSeconds(5);

    /** How long a namespace has waited for the same things. */
    private record Patience(String remains, Duration recheck) {
        static final Patience NEW = new Patience("", FIRST_RECHECK);

        Patience after(String remainsNow) {
            if (!remainsNow.equals(remains)) {
                return new Patience(remainsNow, FIRST_RECHECK);
            }
            Duration doubled = recheck.multipliedBy(2);
            return new Patience(remains, doubled.compareTo(LAST_RECHECK) > 0 ? LAST_RECHECK : doubled);
        }
    }

    private final KubeApi api;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final ControllerRunner<String> runner;
    private final Map<String, Patience> emptying = new ConcurrentHashMap<>();
    /** When namespaces were let go. */
    private final Map<String, Long> released = new ConcurrentHashMap<>();

    NamespaceDeletion(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.runner = new ControllerRunner<>("namespace-deletion", followers, 4, this::reconcile, nanoTime)
                .follow(NAMESPACES, this)
                .followAll(KubeApi.Kind::namespaced, this);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        if (kind.equals(NAMESPACES)) {
            String name = Objects.name(object);
            // Not for every change: the conditions are our own, and must not cause the next look.
            if (deleted || (Objects.isDeleting(object) && !emptying.containsKey(name))) {
                runner.queue().add(name);
            }
        } else if (deleted && emptying.containsKey(Objects.namespace(object))) {
            runner.queue().addAfter(Objects.namespace(object), SETTLE);
        }
    }

    @Override
    public void onRelist(KubeApi.Kind kind, Set<String> uids) {
        emptying.keySet().forEach(runner.queue()::add);
    }

    private Optional<Duration> reconcile(String name) {
        Optional<ObjectNode> found = api.find(NAMESPACES, "", name);
        if (found.isEmpty()) {
            emptying.remove(name);
            return sweepAftermath(name);
        }
        released.remove(name);
        if (!Objects.isDeleting(found.get()) || !isHeld(found.get())) {
            emptying.remove(name);
            return Optional.empty();
        }
        // Before the sweep, so that what goes during the sweep is not missed.
        Patience patience = emptying.computeIfAbsent(name, _ -> Patience.NEW);
        NamespaceRemains remains = sweep(name);
        if (remains.isEmpty()) {
            release(found.get());
            emptying.remove(name);
            released.put(name, nanoTime.getAsLong());
            return Optional.of(AFTERMATH);
        }
        if (remains.report(found.get(), clock.instant())) {
            api.update(NAMESPACES, "status", found.get());
        }
        Patience next = patience.after(remains.summary());
        emptying.put(name, next);
        return Optional.of(next.recheck());
    }

    private static boolean isHeld(ObjectNode namespace) {
        for (JsonNode finalizer : Json.listAt(namespace, "spec", "finalizers")) {
            if (finalizer.asText().equals(FINALIZER)) {
                return true;
            }
        }
        return false;
    }

    /** Deletes everything that is not being deleted yet; pods must be gone before the rest is touched. */
    private NamespaceRemains sweep(String namespace) {
        NamespaceRemains remains = new NamespaceRemains();
        sweep(PODS, namespace, remains);
        if (!remains.isEmpty()) {
            return remains;
        }
        for (KubeApi.Kind kind : api.kinds()) {
            if (kind.namespaced() && !kind.equals(PODS)) {
                sweep(kind, namespace, remains);
            }
        }
        return remains;
    }

    private void sweep(KubeApi.Kind kind, String namespace, NamespaceRemains remains) {
        try {
            for (ObjectNode object :
                    api.list(kind, namespace, KubeApi.View.METADATA).items()) {
                if (Objects.isDeleting(object)) {
                    remains.add(kind, object);
                } else {
                    delete(kind, namespace, object, remains);
                }
            }
        } catch (ApiException e) {
            if (e.code() == 404) {
                // A custom kind that went meanwhile, with all its objects.
                return;
            }
            remains.addFailure(e.getMessage() + " (" + kind + ")");
        }
    }

    private void delete(KubeApi.Kind kind, String namespace, ObjectNode object, NamespaceRemains remains) {
        String name = Objects.name(object);
        try {
            api.delete(kind, namespace, name, new KubeApi.Deletion(Objects.uid(object), null, "Background"));
            api.find(kind, namespace, name).ifPresent(left -> remains.add(kind, left));
        } catch (ApiException e) {
            remains.addFailure(e.getMessage() + " (" + kind + " " + name + ")");
        }
    }

    private List<ObjectNode> strays(KubeApi.Kind kind, String namespace) {
        try {
            return api.list(kind, namespace, KubeApi.View.METADATA).items();
        } catch (ApiException e) {
            if (e.code() == 404) {
                return List.of();
            }
            throw e;
        }
    }

    private void release(ObjectNode namespace) {
        ObjectNode next = namespace.deepCopy();
        ArrayNode kept = Json.array();
        for (JsonNode finalizer : Json.listAt(namespace, "spec", "finalizers")) {
            if (!finalizer.asText().equals(FINALIZER)) {
                kept.add(finalizer);
            }
        }
        Json.ensureObject(next, "spec").set("finalizers", kept);
        api.update(NAMESPACES, "finalize", next);
    }

    /**
     * A write may be let in just before its namespace begins to go and arrive after the namespace is gone. Without this
     * the object would turn up in the next namespace of that name.
     */
    private Optional<Duration> sweepAftermath(String namespace) {
        Long since = released.get(namespace);
        if (since == null) {
            return Optional.empty();
        }
        Duration early = AFTERMATH.minusNanos(nanoTime.getAsLong() - since);
        if (early.isPositive()) {
            return Optional.of(early);
        }
        for (KubeApi.Kind kind : api.kinds()) {
            if (!kind.namespaced()) {
                continue;
            }
            List<ObjectNode> stray = strays(kind, namespace);
            // Looked at after the list: what it showed belongs to no namespace that exists.
            if (!stray.isEmpty() && api.find(NAMESPACES, "", namespace).isEmpty()) {
                for (ObjectNode object : stray) {
                    api.delete(kind, namespace, Objects.name(object), KubeApi.Deletion.ofUid(Objects.uid(object)));
                }
            }
        }
        released.remove(namespace);
        return Optional.empty();
    }
}
