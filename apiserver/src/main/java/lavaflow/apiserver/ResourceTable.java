package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kinds.BuiltinKinds;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.KindInfo;
import lavaflow.kube.KindTable;

import org.jspecify.annotations.Nullable;

/** Everything that is served, by path. */
public final class ResourceTable {
    private final Map<String, Resource> byPath = new HashMap<>();
    private final List<Resource> all = new ArrayList<>();

    /** A table of the built-in kinds. */
    public static ResourceTable builtin() {
        ResourceTable table = new ResourceTable();
        for (KindTable.GroupVersion version : KindTable.builtin().versions()) {
            for (KindInfo kind : version.kinds()) {
                table.add(resource(kind));
            }
        }
        return table;
    }

    private static Resource resource(KindInfo info) {
        BuiltinKinds.Conversion conversion = BuiltinKinds.conversion(info.group(), info.version(), info.resource());
        KindInfo stored = info;
        if (conversion != null) {
            stored = KindTable.builtin().resource(conversion.group(), conversion.version(), info.resource());
            if (stored == null) {
                throw new IllegalStateException("no stored version for " + info);
            }
        }
        String bucket = stored.group().isEmpty() ? stored.resource() : stored.group() + "/" + stored.resource();
        return new Resource(
                info,
                BuiltinTypes.instance(),
                BuiltinKinds.rules(info.group(), info.version(), info.resource()),
                bucket,
                conversion == null ? null : conversion.bridge(),
                stored);
    }

    private void add(Resource resource) {
        all.add(resource);
        KindInfo info = resource.info();
        byPath.put(path(info.group(), info.version(), info.resource()), resource);
    }

    private static String path(String group, String version, String resource) {
        return group + "/" + version + "/" + resource;
    }

    public @Nullable Resource find(String group, String version, String resource) {
        return byPath.get(path(group, version, resource));
    }

    /** The resource at a path that is known to exist. */
    public Resource resource(String group, String version, String resource) {
        Resource found = find(group, version, resource);
        if (found == null) {
            throw new IllegalArgumentException("not served: " + path(group, version, resource));
        }
        return found;
    }

    public boolean servesVersion(String group, String version) {
        return all.stream()
                .anyMatch(resource -> resource.info().group().equals(group)
                        && resource.info().version().equals(version));
    }

    /** In the order of discovery. */
    public List<Resource> all() {
        return all;
    }
}
