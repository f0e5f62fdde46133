package lavaflow;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.apiserver.LocalApi;
import lavaflow.apiserver.Resource;
import lavaflow.apiserver.User;
import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The API of a server in this process as controllers see it, under an identity of their own. */
final class LocalKubeApi implements KubeApi {
    private final LocalApi api;
    private final User user;
    private final List<Kind> kinds;
    private final Map<String, Kind> byTypeName = new HashMap<>();

    LocalKubeApi(LocalApi api, User user) {
        this.api = api;
        this.user = user;
        // Versions of one kind share their objects: the first one stands for all.
        Map<String, Kind> byBucket = new LinkedHashMap<>();
        for (Resource resource : api.resources()) {
            var info = resource.info();
            Kind kind = new Kind(info.group(), info.version(), info.resource(), info.namespaced());
            if (info.allows("list") && info.allows("watch") && info.allows("delete")) {
                byBucket.putIfAbsent(resource.bucket(), kind);
            }
            byTypeName.put(info.apiVersion() + "/" + info.kind(), kind);
        }
        kinds = List.copyOf(byBucket.values());
    }

    private static LocalApi.Path path(Kind kind) {
        return new LocalApi.Path(kind.group(), kind.version(), kind.resource());
    }

    @Override
    public List<Kind> kinds() {
        return kinds;
    }

    @Override
    public Optional<Kind> findKind(String apiVersion, String kindName) {
        return Optional.ofNullable(byTypeName.get(apiVersion + "/" + kindName));
    }

    @Override
    public Optional<ObjectNode> find(Kind kind, String namespace, String name) {
        return api.find(path(kind), namespace, name);
    }

    @Override
    public Listing list(Kind kind, String namespace) {
        LocalApi.Listing listing = api.list(path(kind), namespace);
        return new Listing(listing.items(), listing.revision());
    }

    @Override
    public ObjectNode create(Kind kind, String namespace, ObjectNode object) {
        return api.create(user, path(kind), namespace, object);
    }

    @Override
    public ObjectNode update(Kind kind, String subresource, ObjectNode object) {
        return api.update(user, path(kind), subresource, object);
    }

    @Override
    public boolean delete(Kind kind, String namespace, String name, Deletion deletion) {
        LocalApi.Deletion options =
                new LocalApi.Deletion(deletion.uid(), deletion.resourceVersion(), deletion.propagationPolicy());
        return api.delete(user, path(kind), namespace, name, options);
    }

    @Override
    public Watch watch(Kind kind, long afterRevision) {
        LocalApi.Watch watch = api.watch(path(kind), afterRevision);
        return new Watch() {
            @Override
            public List<Event> next(Duration timeout) throws InterruptedException {
                return watch.next(timeout).stream()
                        .map(event -> new Event(event.type().equals("DELETED"), event.object()))
                        .toList();
            }

            @Override
            public void close() {
                watch.close();
            }
        };
    }
}
