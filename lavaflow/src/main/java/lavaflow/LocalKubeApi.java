package lavaflow;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import lavaflow.access.User;
import lavaflow.apiserver.Catalogue;
import lavaflow.apiserver.LocalApi;
import lavaflow.apiserver.Resource;
import lavaflow.controller.KubeApi;
import lavaflow.kube.FieldSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The API of a server in this process as controllers see it. They read as the controller manager, whose eyes all of them
 * share, and write as themselves.
 */
public final class LocalKubeApi implements KubeApi {
    private static final Kind MEASURED = Kind.core("pods");

    private final LocalApi api;
    private final User reader;
    private final Function<Kind, User> writer;
    private final AtomicReference<Kinds> kinds;

    /** The kinds of a catalogue. */
    private record Kinds(Catalogue catalogue, List<Kind> all, Map<String, Kind> byTypeName) {
        static Kinds of(Catalogue catalogue) {
            // Versions of one kind share their objects: the first one stands for all.
            Map<String, Kind> byBucket = new LinkedHashMap<>();
            for (Resource resource : catalogue.all()) {
                var info = resource.info();
                if (info.allows("list") && info.allows("watch") && info.allows("delete")) {
                    Kind kind = new Kind(info.group(), info.version(), info.resource(), info.namespaced());
                    byBucket.putIfAbsent(resource.bucket(), kind);
                }
            }
            Map<String, Kind> byTypeName = new HashMap<>();
            for (Resource resource : catalogue.all()) {
                var info = resource.info();
                Kind kind = byBucket.get(resource.bucket());
                if (kind != null) {
                    byTypeName.put(info.apiVersion() + "/" + info.kind(), kind);
                }
            }
            return new Kinds(catalogue, List.copyOf(byBucket.values()), byTypeName);
        }
    }

    public LocalKubeApi(LocalApi api, User reader) {
        this.api = api;
        this.reader = reader;
        this.writer = _ -> reader;
        this.kinds = new AtomicReference<>(Kinds.of(api.catalogue()));
    }

    private Kinds current() {
        Catalogue catalogue = api.catalogue();
        Kinds known = kinds.get();
        if (known.catalogue != catalogue) {
            known = Kinds.of(catalogue);
            kinds.set(known);
        }
        return known;
    }

    private LocalKubeApi(LocalKubeApi other, Function<Kind, User> writer) {
        this.api = other.api;
        this.reader = other.reader;
        this.writer = writer;
        this.kinds = other.kinds;
    }

    /** The same API for writing as somebody else, who may depend on the kind. */
    LocalKubeApi writingAs(Function<Kind, User> other) {
        return new LocalKubeApi(this, other);
    }

    private static LocalApi.Path path(Kind kind) {
        return new LocalApi.Path(kind.group(), kind.version(), kind.resource());
    }

    @Override
    public List<Kind> kinds() {
        return current().all();
    }

    @Override
    public void onKindsChange(Runnable listener) {
        api.onCatalogueChange(listener);
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return Optional.ofNullable(current().byTypeName().get(apiVersion + "/" + kindName));
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        return api.find(reader, path(kind), namespace, name);
    }

    @Override
    public long list(Kind kind, String namespace, View view, Consumer<ObjectNode> each) {
        return api.list(reader, path(kind), namespace, local(view), each);
    }

    @Override
    public long list(Kind kind, Scope scope, View view, Consumer<ObjectNode> each) {
        return api.list(reader, path(kind), local(scope), local(view), each);
    }

    private static LocalApi.Scope local(Scope scope) {
        return new LocalApi.Scope(scope.namespace(), FieldSelector.parse(scope.fields()));
    }

    private static LocalApi.View local(View view) {
        return switch (view) {
            case WHOLE -> LocalApi.View.WHOLE;
            case METADATA -> LocalApi.View.METADATA;
        };
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        return api.create(writer.apply(kind), path(kind), namespace, object);
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return api.update(writer.apply(kind), path(kind), subresource, object);
    }

    @Override
    public ObjectNode patch(
            Kind kind, String namespace, String name, String subresource, Merge merge, ObjectNode patch) {
        LocalApi.Place place = new LocalApi.Place(path(kind), namespace, name, subresource);
        return api.patch(writer.apply(kind), place, merge == Merge.STRATEGIC, patch);
    }

    @Override
    public ObjectNode apply(Kind kind, String subresource, String manager, ObjectNode configuration) {
        return api.apply(writer.apply(kind), path(kind), subresource, manager, configuration);
    }

    @Override
    public ObjectNode read(String path) {
        // Not with the eyes all share: who may see what others measure is each one's own matter.
        return api.read(writer.apply(MEASURED), path);
    }

    @Override
    public Optional<ObjectNode> findScale(Kind kind, String namespace, String name) {
        return api.findScale(writer.apply(kind), path(kind), namespace, name);
    }

    @Override
    public ObjectNode post(Kind kind, String namespace, String name, String subresource, ObjectNode body) {
        return api.post(writer.apply(kind), new LocalApi.Place(path(kind), namespace, name, subresource), body);
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        LocalApi.Deletion options = new LocalApi.Deletion(
                deletion.uid(),
                deletion.resourceVersion(),
                deletion.propagationPolicy(),
                deletion.gracePeriodSeconds());
        return api.delete(writer.apply(kind), path(kind), namespace, name, options);
    }

    @Override
    public Watch watch(Kind kind, long afterRevision, View view) {
        return watch(kind, new Scope("", ""), afterRevision, view);
    }

    @Override
    public Watch watch(Kind kind, Scope scope, long afterRevision, View view) {
        LocalApi.Watch watch = api.watch(reader, path(kind), local(scope), afterRevision, local(view));
        return new Watch() {
            @Override
            public Progress next(Duration timeout) throws InterruptedException {
                LocalApi.Progressed progressed = watch.next(timeout);
                List<Event> events = progressed.events().stream()
                        .map(event -> new Event(event.type().equals("DELETED"), event.object()))
                        .toList();
                return new Progress(events, progressed.revision());
            }

            @Override
            public void wake() {
                watch.wake();
            }

            @Override
            public void close() {
                watch.close();
            }
        };
    }
}
