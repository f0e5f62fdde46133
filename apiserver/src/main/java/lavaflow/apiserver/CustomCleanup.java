package lavaflow.apiserver;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Cursor;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the objects of a custom kind whose definition is being deleted, then lets the definition go. */
final class CustomCleanup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CustomCleanup.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private final Store store;
    private final LocalApi api;
    private final Deletes deletes;
    private final InstantSource clock;
    /** By uid of the definition. */
    private final Map<String, Thread> running = new ConcurrentHashMap<>();

    private final CountDownLatch closed = new CountDownLatch(1);

    CustomCleanup(Store store, LocalApi api, Deletes deletes, InstantSource clock) {
        this.store = store;
        this.api = api;
        this.deletes = deletes;
        this.clock = clock;
    }

    /** Begins, unless it has begun already; {@code kind} is null where the kind was never served. */
    void begin(Definition definition, @Nullable CustomKind kind) {
        running.computeIfAbsent(
                definition.uid(),
                uid -> Thread.ofVirtual().name("cleanup-" + definition.name()).start(() -> {
                    run(definition, kind);
                    running.remove(uid);
                }));
    }

    private void run(Definition definition, @Nullable CustomKind kind) {
        for (Duration pause = FIRST_PAUSE; ; pause = longer(pause)) {
            try {
                empty(definition, kind);
                return;
            } catch (ApiException e) {
                LOG.warn("instances of {} cannot be deleted yet: {}", definition.name(), e.getMessage());
            } catch (CancellationException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                LOG.error("instances of {} cannot be deleted", definition.name(), e);
            }
            if (isClosedAfter(pause)) {
                return;
            }
        }
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
    }

    private boolean isClosedAfter(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void empty(Definition definition, @Nullable CustomKind kind) throws InterruptedException {
        if (kind == null) {
            condition(definition, false, "NeverEstablished", "resource was never established");
        } else {
            condition(definition, true, "InstanceDeletionInProgress", "CustomResource deletion is in progress");
            deleteInstances(kind);
            awaitEmpty(kind.bucket());
            condition(definition, false, "InstanceDeletionCompleted", "removed all instances");
        }
        change(definition, "", object -> {
            ArrayNode kept = Json.array();
            for (JsonNode finalizer : Json.listAt(object, "metadata", "finalizers")) {
                if (!finalizer.asText().equals(Definition.CLEANUP)) {
                    kept.add(finalizer);
                }
            }
            Metadata.of(object).set("finalizers", kept);
        });
    }

    private void deleteInstances(CustomKind kind) {
        Resource resource = kind.storedResource();
        for (StoredObject stored : store.snapshot().scan(kind.bucket(), "", null)) {
            ObjectNode object = StoredForm.decodeMetadata(stored);
            String namespace = Metadata.namespace(object);
            RequestInfo info = new RequestInfo(
                    true,
                    "",
                    "delete",
                    resource.group(),
                    resource.info().version(),
                    namespace,
                    resource.name(),
                    Metadata.name(object),
                    "",
                    "");
            Call call = new Call(CustomResources.USER, resource, info, WriteOptions.of(""), clock.instant());
            try {
                deletes.delete(call, new DeleteOptions(null, Metadata.uid(object), null, null, null, false));
            } catch (ApiException e) {
                if (e.code() != 404 && e.code() != 409) {
                    throw e;
                }
            }
        }
    }

    /** Finalizers may hold instances for as long as they like. */
    private void awaitEmpty(String bucket) throws InterruptedException {
        try (Cursor cursor = store.watch(bucket, "", null, store.revision())) {
            while (store.snapshot().count(bucket, "", null) > 0) {
                if (closed.getCount() == 0) {
                    throw new CancellationException();
                }
                cursor.poll(Duration.ofSeconds(1));
            }
        }
    }

    private void condition(Definition definition, boolean going, String reason, String message) {
        change(definition, "status", object -> {
            ObjectNode status = Json.ensureObject(object, "status");
            ArrayNode conditions = Json.listAt(status, "conditions");
            DefinitionStatus.terminating(conditions, going, reason, message, Metadata.time(clock.instant()));
            status.set("conditions", conditions);
        });
    }

    /** Changes the definition on top of what others do to it, unless it is gone. */
    private void change(Definition definition, String subresource, Consumer<ObjectNode> edit) {
        while (true) {
            Optional<ObjectNode> found = api.find(CustomResources.USER, CustomResources.PATH, "", definition.name())
                    .filter(object -> Metadata.uid(object).equals(definition.uid()));
            if (found.isEmpty()) {
                return;
            }
            edit.accept(found.get());
            try {
                api.update(CustomResources.USER, CustomResources.PATH, subresource, found.get());
                return;
            } catch (ApiException e) {
                if (e.code() == 404) {
                    return;
                }
                if (e.code() != 409) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
        running.values().forEach(Thread::interrupt);
    }
}
