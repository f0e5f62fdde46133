package lavaflow.apiserver;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Change;
import lavaflow.store.CompactedException;
import lavaflow.store.Cursor;
import lavaflow.store.LaggedException;
import lavaflow.store.Mutation;
import lavaflow.store.Snapshot;
import lavaflow.store.Store;
import lavaflow.store.StoreUnavailableException;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the definitions of custom kinds: puts their versions into the table of what is served, says in their status
 * how that went, and empties what is deleted.
 *
 * <p>One thread owns all state. What is stored at the start is served before the first request is answered; later, a kind
 * is served before its definition says so.
 */
final class CustomResources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CustomResources.class);
    static final LocalApi.Path PATH = new LocalApi.Path("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    static final User USER = new User("system:kube-apiserver", List.of("system:masters"));
    private static final Duration POLL = Duration.ofMinutes(1);

    /** A definition, and its kind where that is served. */
    private static final class Entry {
        private Definition definition;
        private StoredObject stored;
        private @Nullable CustomKind kind;

        Entry(Definition definition, StoredObject stored) {
            this.definition = definition;
            this.stored = stored;
        }
    }

    private final Store store;
    private final ResourceTable table;
    private final LocalApi api;
    private final CustomCleanup cleanup;
    private final Function<Definition, CustomConversion> conversions;
    private final InstantSource clock;
    private final Map<String, Entry> entries = new HashMap<>();
    private volatile boolean closed;
    private volatile @Nullable Cursor cursor;
    private @Nullable Thread thread;

    CustomResources(
            Store store,
            ResourceTable table,
            LocalApi api,
            CustomCleanup cleanup,
            Function<Definition, CustomConversion> conversions,
            InstantSource clock) {
        this.store = store;
        this.table = table;
        this.api = api;
        this.cleanup = cleanup;
        this.conversions = conversions;
        this.clock = clock;
    }

    /** Serves what is defined already, then follows what changes. */
    void start() {
        Cursor opened = load();
        thread = Thread.ofVirtual().name("custom-resources").start(() -> follow(opened));
    }

    /** Serves what is defined by now, on the caller's thread, and hears of nothing that changes later. */
    void serveDefined() {
        load().close();
        List.copyOf(entries.values()).forEach(this::consider);
    }

    private Cursor load() {
        Snapshot snapshot = store.snapshot();
        for (StoredObject stored : snapshot.scan(Definition.BUCKET, "", null)) {
            put(stored);
        }
        for (Entry entry : entries.values()) {
            if (entry.definition.isEstablished()) {
                serve(entry, entry.definition.accepted());
            }
        }
        return store.watch(Definition.BUCKET, "", null, snapshot.revision());
    }

    private void follow(Cursor opened) {
        Cursor current = opened;
        List.copyOf(entries.values()).forEach(this::consider);
        while (!closed) {
            try {
                cursor = current;
                for (Change change : current.poll(POLL).changes()) {
                    apply(change);
                }
            } catch (LaggedException | CompactedException e) {
                current.close();
                current = reload();
            } catch (CancellationException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (StoreUnavailableException e) {
                if (!closed) {
                    LOG.error("definitions of custom resources are no longer followed", e);
                }
                return; // the store does not come back
            } catch (RuntimeException e) {
                LOG.error("following definitions of custom resources failed", e);
            }
        }
    }

    /** Starts over after falling behind. */
    private Cursor reload() {
        Map<String, Entry> before = new HashMap<>(entries);
        entries.clear();
        Cursor opened = load();
        before.forEach((name, entry) -> {
            if (!entries.containsKey(name)) {
                gone(entry);
            }
        });
        List.copyOf(entries.values()).forEach(this::consider);
        return opened;
    }

    private void apply(Change change) {
        try {
            if (change.deleted()) {
                Entry entry = entries.remove(change.object().key());
                if (entry != null) {
                    gone(entry);
                }
                return;
            }
            Entry entry = put(change.object());
            boolean freed = change.previous() != null
                    && !Definition.read(change.previous()).accepted().equals(entry.definition.accepted());
            consider(entry);
            if (freed) {
                reconsider(entry.definition.group());
            }
        } catch (RuntimeException e) {
            LOG.error("definition {} cannot be followed", change.object().key(), e);
        }
    }

    private Entry put(StoredObject stored) {
        Definition definition = Definition.read(stored);
        Entry entry = entries.computeIfAbsent(stored.key(), _ -> new Entry(definition, stored));
        entry.definition = definition;
        entry.stored = stored;
        return entry;
    }

    private void gone(Entry entry) {
        table.withdraw(entry.definition.name());
        if (entry.kind != null) {
            // A write that was let in before may have come after the last look.
            sweep(entry.kind.bucket(), Long.MAX_VALUE);
        }
        reconsider(entry.definition.group());
    }

    /** Names that were in use may be free now. */
    private void reconsider(String group) {
        for (Entry entry : List.copyOf(entries.values())) {
            if (entry.definition.group().equals(group) && !entry.definition.namesAccepted()) {
                consider(entry);
            }
        }
    }

    private void consider(Entry entry) {
        Definition definition = entry.definition;
        if (definition.deleting()) {
            if (entry.kind != null) {
                entry.kind.refresh(entry.stored, true);
            }
            if (definition.finalizers().contains(Definition.CLEANUP)) {
                cleanup.begin(definition, entry.kind);
            }
            return;
        }
        List<Definition> all = new ArrayList<>();
        entries.values().forEach(each -> all.add(each.definition));
        DefinitionStatus.Verdict verdict = DefinitionStatus.judge(definition, all, Metadata.time(clock.instant()));
        if (definition.isEstablished() || verdict.isAccepted()) {
            serve(entry, verdict.names());
        }
        boolean said = verdict.conditions().equals(definition.conditions())
                && verdict.names().equals(definition.accepted());
        if (!said) {
            say(entry, verdict);
        }
    }

    private void serve(Entry entry, Definition.Names names) {
        Definition definition = entry.definition;
        CustomKind present = entry.kind;
        if (present != null && present.isDescribedBy(definition, names)) {
            present.refresh(entry.stored, definition.deleting());
            return;
        }
        CustomKind kind = new CustomKind(definition, names, entry.stored, conversions.apply(definition));
        if (present == null || !present.definition().uid().equals(definition.uid())) {
            // What is older than the definition belonged to another one of the same name.
            sweep(kind.bucket(), definition.revision());
        }
        entry.kind = kind;
        table.serve(definition.name(), kind.resources());
    }

    private void say(Entry entry, DefinitionStatus.Verdict verdict) {
        ObjectNode object = StoredForm.decode(entry.stored);
        ObjectNode status = Json.ensureObject(object, "status");
        status.set("conditions", verdict.conditions());
        status.set("acceptedNames", verdict.names().toJson());
        try {
            api.update(USER, PATH, "status", object);
            // Others are judged by what has been granted, even before that is heard of.
            entry.definition = entry.definition.granted(verdict.names(), verdict.conditions());
        } catch (ApiException e) {
            // It changed or went meanwhile; the next change that is heard of is looked at anew.
            if (e.code() != 409 && e.code() != 404) {
                LOG.warn("the status of definition {} cannot be written: {}", entry.definition.name(), e.getMessage());
            }
        }
    }

    /** Removes objects that were created before a revision. */
    private void sweep(String bucket, long before) {
        for (StoredObject stored : store.snapshot().scan(bucket, "", null)) {
            if (stored.createRevision() < before) {
                store.commit(new Mutation.Delete(
                        bucket, stored.key(), stored.revision(), StoredForm.encode(StoredForm.decode(stored)), false));
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        Cursor current = cursor;
        if (current != null) {
            current.close();
        }
        cleanup.close();
        Thread running = thread;
        if (running != null) {
            try {
                running.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
