package lavaflow.apiserver;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import lavaflow.access.Attributes;
import lavaflow.access.ServiceAccounts;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.store.Change;
import lavaflow.store.CompactedException;
import lavaflow.store.Cursor;
import lavaflow.store.LaggedException;
import lavaflow.store.Progress;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The API for components in the same process: no HTTP and no bytes in between, but the same decoding, ownership,
 * authorization, admission and validation as for anyone.
 */
public final class LocalApi {
    /** Where objects of one kind live. */
    public record Path(String group, String version, String resource) {
        @Override
        public String toString() {
            return group.isEmpty() ? resource : resource + "." + group;
        }
    }

    /** A part of the objects of a kind; the empty namespace is all of them. */
    public record Scope(String namespace, FieldSelector fields) {
        static final Scope EVERYTHING = new Scope("", FieldSelector.EVERYTHING);
    }

    /** How much of an object the caller needs. */
    public enum View {
        WHOLE,
        /** Type and metadata, without managedFields; the rest is not even parsed. */
        METADATA
    }

    /** One change; {@code type} is ADDED, MODIFIED or DELETED. */
    public record Event(String type, ObjectNode object) {}

    /** Changes in order, and how far they reach: no change up to there is still to come. */
    public record Progressed(List<Event> events, long revision) {}

    /** What a deletion should respect; null parts do not matter. */
    public record Deletion(
            @Nullable String uid,
            @Nullable String resourceVersion,
            @Nullable String propagationPolicy,
            @Nullable Long gracePeriodSeconds) {
        public static final Deletion PLAIN = new Deletion(null, null, null, null);
    }

    private final ResourceTable table;
    private final Reads reads;
    private final Writes writes;
    private final Deletes deletes;
    private final Store store;
    private final Authorization authorization;
    private final InstantSource clock;
    private final Patches patches;
    private final Subresources subresources;
    private final ApiHandler handler;

    LocalApi(
            ResourceTable table,
            Reads reads,
            Writes writes,
            Deletes deletes,
            Store store,
            Authorization authorization,
            InstantSource clock,
            Patches patches,
            Subresources subresources,
            ApiHandler handler) {
        this.table = table;
        this.reads = reads;
        this.writes = writes;
        this.deletes = deletes;
        this.store = store;
        this.authorization = authorization;
        this.clock = clock;
        this.patches = patches;
        this.subresources = subresources;
        this.handler = handler;
    }

    /** Everything that is served now, for components that walk all kinds. */
    public Catalogue catalogue() {
        return table.catalogue();
    }

    /** Calls the listener, which must be quick, after {@link #catalogue} has changed. */
    public void onCatalogueChange(Runnable listener) {
        table.onChange(listener);
    }

    /** The time as this server counts it. */
    public Instant now() {
        return clock.instant();
    }

    /** For what is put into place before anybody asks. */
    Store store() {
        return store;
    }

    /** Custom kinds come and go while components use them. */
    private Resource resource(Path path) {
        Resource found = table.find(path.group(), path.version(), path.resource());
        if (found == null) {
            throw ApiException.noSuchPath();
        }
        return found;
    }

    private Call call(User user, Path path, String verb, String namespace, String name, String subresource) {
        RequestInfo info = new RequestInfo(
                true, "", verb, path.group(), path.version(), namespace, path.resource(), name, subresource, "");
        authorization.check(user, info, Query.empty());
        return new Call(user, resource(path), info, WriteOptions.of(manager(user)), clock.instant());
    }

    /** Components go by the names of their programs, as upstream's do. */
    private static String manager(User user) {
        if (ServiceAccounts.account(user.name()) != null) {
            return "kube-controller-manager";
        }
        if (user.name().equals(Bootstrap.SYSTEM.name())) {
            return FieldOwnership.SERVER;
        }
        return user.name().startsWith("system:") ? user.name().substring("system:".length()) : user.name();
    }

    private static Attributes attributes(Path path, String verb, String namespace, String name) {
        return Attributes.ofResource(verb, path.group(), path.version(), path.resource(), "", namespace, name);
    }

    private void check(User user, Path path, String verb, String namespace, String name) {
        authorization.check(
                user, Attributes.ofResource(verb, path.group(), path.version(), path.resource(), "", namespace, name));
    }

    private void check(User user, Path path, String verb, Scope scope) {
        String name = scope.fields().exactly("metadata.name").orElse("");
        authorization.check(
                user,
                new Attributes(
                        true,
                        verb,
                        scope.namespace(),
                        path.group(),
                        path.version(),
                        path.resource(),
                        "",
                        name,
                        "",
                        scope.fields().toString(),
                        ""));
    }

    /** Whoever may list objects may look at one of them: a component that followed them would know it anyway. */
    public Optional<ObjectNode> find(User user, Path path, String namespace, String name) {
        if (!authorization.allows(user, attributes(path, "get", namespace, name))) {
            check(user, path, "list", namespace, "");
        }
        Resource resource = resource(path);
        StoredObject stored = store.get(resource.bucket(), resource.key(namespace, name));
        return Optional.ofNullable(stored).map(resource::read);
    }

    /** Shows the objects of a namespace, or of all for the empty one, one by one; returns their common revision. */
    public long list(User user, Path path, String namespace, View view, Consumer<ObjectNode> each) {
        return list(user, path, new Scope(namespace, FieldSelector.EVERYTHING), view, each);
    }

    /** The same for a part of the objects. */
    public long list(User user, Path path, Scope scope, View view, Consumer<ObjectNode> each) {
        check(user, path, "list", scope);
        Resource resource = resource(path);
        ListOptions options =
                new ListOptions(LabelSelector.EVERYTHING, scope.fields(), false, false, false, null, "", 0, "", null);
        Reads.Page page = reads.list(resource, scope.namespace(), options);
        page.items().forEach(stored -> each.accept(decode(resource, stored, view)));
        return page.revision();
    }

    private static ObjectNode decode(Resource resource, StoredObject stored, View view) {
        return switch (view) {
            case WHOLE -> resource.read(stored);
            case METADATA -> StoredForm.decodeMetadata(stored);
        };
    }

    public ObjectNode create(User user, Path path, String namespace, ObjectNode object) {
        Call call = call(user, path, "create", namespace, "", "");
        ObjectNode typed = typed(call, object);
        // Reviews are answered and never stored.
        return call.resource().info().allows("get") ? writes.create(call, typed) : subresources.review(call, typed);
    }

    /** Replaces an object or, through a subresource, a part of it. */
    public ObjectNode update(User user, Path path, String subresource, ObjectNode object) {
        Call call = call(user, path, "update", Metadata.namespace(object), Metadata.name(object), subresource);
        if (subresource.equals("scale")) {
            return subresources.updateScale(call, object);
        }
        ObjectNode typed = typed(call, object);
        return writes.update(call, false, false, _ -> typed.deepCopy()).object();
    }

    /** What a path answers that is no kind's: what servers beside this one say, which groups there are. */
    public ObjectNode read(User user, String path) {
        LocalExchange exchange = new LocalExchange(path);
        try {
            handler.answer(exchange, user);
            JsonNode answer = Json.parseUntrusted(exchange.answer());
            if (exchange.status() >= 300 || !(answer instanceof ObjectNode object)) {
                throw answer instanceof ObjectNode status && status.has("code")
                        ? ApiException.of(status)
                        : ApiException.of(exchange.status(), "", "the server answered " + exchange.status());
            }
            return object;
        } catch (PathNotServed e) {
            throw ApiException.noSuchPath();
        } catch (IOException e) {
            throw ApiException.of(Math.max(exchange.status(), 503), "", String.valueOf(e.getMessage()));
        }
    }

    /** The Scale of an object; fails where its kind has none. */
    public Optional<ObjectNode> findScale(User user, Path path, String namespace, String name) {
        Call call = call(user, path, "get", namespace, name, "scale");
        if (call.resource().info().subresource("scale") == null) {
            throw ApiException.noSuchPath();
        }
        StoredObject stored =
                store.get(call.resource().bucket(), call.resource().key(namespace, name));
        return Optional.ofNullable(stored)
                .map(found ->
                        FieldOwnership.scaleOf(call.resource(), call.resource().read(found)));
    }

    /** Applies a configuration, as the only owner of what is in it. */
    public ObjectNode apply(User user, Path path, String subresource, ObjectNode configuration) {
        return apply(user, path, subresource, manager(user), configuration);
    }

    /** Applies a configuration under the name of a manager. */
    public ObjectNode apply(User user, Path path, String subresource, String manager, ObjectNode configuration) {
        Call plain =
                call(user, path, "patch", Metadata.namespace(configuration), Metadata.name(configuration), subresource);
        WriteOptions forced = new WriteOptions(false, true, manager, "", Call.FieldValidation.IGNORE, "");
        return patches.apply(new Call(user, plain.resource(), plain.info(), forced, plain.now()), configuration)
                .object();
    }

    /** Where an object, or a part of it that a subresource is, can be found. */
    public record Place(Path path, String namespace, String name, String subresource) {}

    /** Merges a patch into an object; a strategic one merges lists by their keys. */
    public ObjectNode patch(User user, Place place, boolean strategic, ObjectNode patch) {
        Call call = call(user, place.path(), "patch", place.namespace(), place.name(), place.subresource());
        String media = strategic ? Patches.STRATEGIC_PATCH : Patches.MERGE_PATCH;
        return patches.patch(call, media, Json.bytes(patch)).object();
    }

    /** Does what is asked of an object and not stored: binds a pod, evicts it, makes a token; returns the answer. */
    public ObjectNode post(User user, Place place, ObjectNode body) {
        Call call = call(user, place.path(), "create", place.namespace(), place.name(), place.subresource());
        return subresources.post(call, body);
    }

    private static ObjectNode typed(Call call, ObjectNode object) {
        ObjectNode typed = ObjectDecoder.typed(
                call, object, ObjectDecoder.Expected.of(call.resource().info()));
        call.resource().rules().applyDefaults(typed);
        return typed;
    }

    /** Deletes; false if the object was gone already. */
    public boolean delete(User user, Path path, String namespace, String name, Deletion deletion) {
        Call call = call(user, path, "delete", namespace, name, "");
        DeleteOptions options = new DeleteOptions(
                deletion.gracePeriodSeconds(),
                deletion.uid(),
                deletion.resourceVersion(),
                null,
                deletion.propagationPolicy(),
                false);
        try {
            deletes.delete(call, options);
            return true;
        } catch (ApiException e) {
            if (e.code() == 404) {
                return false;
            }
            throw e;
        }
    }

    /** Changes after a revision; ends with an {@link ApiException} of code 410 when the past is gone. */
    public Watch watch(User user, Path path, long afterRevision, View view) {
        return watch(user, path, Scope.EVERYTHING, afterRevision, view);
    }

    /** The same for a part of the objects. */
    public Watch watch(User user, Path path, Scope scope, long afterRevision, View view) {
        check(user, path, "watch", scope);
        Resource resource = resource(path);
        Reads.Range range = Reads.Range.of(resource, scope.namespace());
        String name = scope.fields().exactly("metadata.name").orElse("");
        if (!name.isEmpty() && !(resource.namespaced() && scope.namespace().isEmpty())) {
            // One key: whatever else changes does not even wake the watcher.
            String key = resource.key(scope.namespace(), name);
            range = new Reads.Range(key, key + "\0");
        }
        Filter filter = new Filter(resource, LabelSelector.EVERYTHING, scope.fields());
        try {
            Cursor cursor = store.watch(resource.bucket(), range.from(), range.to(), afterRevision);
            return new Watch(resource, filter, view, cursor);
        } catch (CompactedException e) {
            throw ApiException.expired("too old resource version: " + afterRevision);
        }
    }

    /** A stream of changes. */
    public static final class Watch implements AutoCloseable {
        private final Resource resource;
        private final Filter filter;
        private final View view;
        private final Cursor cursor;

        private Watch(Resource resource, Filter filter, View view, Cursor cursor) {
            this.resource = resource;
            this.filter = filter;
            this.view = view;
            this.cursor = cursor;
        }

        /** What happened since the last call; no events after the timeout, or when woken. */
        public Progressed next(Duration timeout) throws InterruptedException {
            try {
                Progress progress = cursor.poll(timeout);
                List<Event> events = new ArrayList<>(progress.changes().size());
                for (Change change : progress.changes()) {
                    String type = type(change);
                    if (!type.isEmpty()) {
                        events.add(new Event(type, decode(resource, change.object(), view)));
                    }
                }
                return new Progressed(events, progress.revision());
            } catch (LaggedException e) {
                throw ApiException.expired("too old resource version: " + e.deliveredRevision());
            }
        }

        /** What a change is to those who see a part of the objects; empty where it is nothing. */
        private String type(Change change) {
            StoredObject previous = change.previous();
            boolean before = previous != null && filter.matches(previous);
            if (change.deleted()) {
                return before || (previous == null && filter.matches(change.object())) ? "DELETED" : "";
            }
            boolean now = filter.matches(change.object());
            return now ? before ? "MODIFIED" : "ADDED" : before ? "DELETED" : "";
        }

        /** Makes a {@link #next} that waits, or else the following one, return at once. */
        public void wake() {
            cursor.wake();
        }

        @Override
        public void close() {
            cursor.close();
        }
    }
}
