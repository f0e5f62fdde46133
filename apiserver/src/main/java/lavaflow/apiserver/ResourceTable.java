package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import lavaflow.kinds.BuiltinKinds;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.KindInfo;
import lavaflow.kube.KindTable;

import org.jspecify.annotations.Nullable;

/**
 * Everything that is served, by path: the built-in kinds, and custom ones, which come and go.
 *
 * <p>Finding a resource takes no lock. The catalogue, which discovery and those who walk all kinds look at, is made anew
 * when it is asked for after a change, so that a thousand changes in a row cost a thousand entries, not a million.
 */
public final class ResourceTable {
    private final List<Resource> builtin = new ArrayList<>();
    private final Set<String> builtinGroups = new HashSet<>();
    private final Map<String, Resource> byPath = new ConcurrentHashMap<>();
    /** By the name of the definition; guarded by this. */
    private final Map<String, List<Resource>> custom = new TreeMap<>();

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile @Nullable Catalogue catalogue;

    /** A table of the built-in kinds. */
    public static ResourceTable builtin() {
        ResourceTable table = new ResourceTable();
        for (KindTable.GroupVersion version : KindTable.builtin().versions()) {
            for (KindInfo kind : version.kinds()) {
                Resource resource = resource(kind);
                table.builtin.add(resource);
                table.builtinGroups.add(kind.group());
                table.byPath.put(path(kind), resource);
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
        return new Resource(
                info,
                BuiltinTypes.instance(),
                BuiltinKinds.rules(info.group(), info.version(), info.resource()),
                bucket(stored.group(), stored.resource()),
                conversion == null ? null : conversion.bridge(),
                stored,
                null);
    }

    /** Where the objects of a kind are stored. */
    static String bucket(String group, String resource) {
        return group.isEmpty() ? resource : group + "/" + resource;
    }

    private static String path(KindInfo info) {
        return path(info.group(), info.version(), info.resource());
    }

    private static String path(String group, String version, String resource) {
        return group + "/" + version + "/" + resource;
    }

    /** Serves the versions of a custom kind in place of those its definition gave before. */
    void serve(String definition, List<Resource> versions) {
        put(definition, versions);
        listeners.forEach(Runnable::run);
    }

    /** Calls the listener, which must be quick, after every change. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    private synchronized void put(String definition, List<Resource> versions) {
        List<Resource> before = custom.put(definition, List.copyOf(versions));
        // A path is never taken away for a moment only: requests find the old version of it, or the new one.
        for (Resource version : versions) {
            byPath.compute(
                    path(version.info()),
                    (_, present) -> present == null || present.custom() != null ? version : present);
        }
        if (before != null) {
            before.forEach(version -> byPath.remove(path(version.info()), version));
        }
        catalogue = null;
    }

    /** Serves the custom kind of a definition no more. */
    void withdraw(String definition) {
        if (remove(definition)) {
            listeners.forEach(Runnable::run);
        }
    }

    private synchronized boolean remove(String definition) {
        List<Resource> before = custom.remove(definition);
        if (before == null) {
            return false;
        }
        before.forEach(version -> byPath.remove(path(version.info()), version));
        catalogue = null;
        return true;
    }

    public @Nullable Resource find(String group, String version, String resource) {
        return byPath.get(path(group, version, resource));
    }

    /** Whether built-in kinds are of the group. */
    boolean isBuiltinGroup(String group) {
        return builtinGroups.contains(group);
    }

    /** Everything served now, in order. */
    public Catalogue catalogue() {
        Catalogue known = catalogue;
        return known != null ? known : makeCatalogue();
    }

    private synchronized Catalogue makeCatalogue() {
        Catalogue known = catalogue;
        if (known == null) {
            List<Resource> customized = new ArrayList<>();
            custom.values().forEach(customized::addAll);
            known = Catalogue.of(builtin, customized);
            catalogue = known;
        }
        return known;
    }

    /** In the order of discovery. */
    public List<Resource> all() {
        return catalogue().all();
    }
}
