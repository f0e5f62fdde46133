package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Everything that is served at one moment, in the order of discovery. Immutable; a change makes another one. */
public final class Catalogue {
    /** Custom groups follow all built-in ones, by name; a group's versions by preference. */
    private static final Comparator<Resource> CUSTOM_ORDER = Comparator.comparingLong(
                    (Resource resource) -> -ApiServiceObjects.priority(resource.group(), false))
            .thenComparing(Resource::group)
            .thenComparing(resource -> resource.info().version(), VersionPreference.ORDER)
            .thenComparing(Resource::name);

    private final List<Resource> all;
    private final Map<String, Map<String, List<Resource>>> groups = new LinkedHashMap<>();

    private Catalogue(List<Resource> all) {
        this.all = Collections.unmodifiableList(all);
        for (Resource resource : all) {
            groups.computeIfAbsent(resource.group(), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(resource.info().version(), _ -> new ArrayList<>())
                    .add(resource);
        }
    }

    static Catalogue of(List<Resource> builtin, List<Resource> custom) {
        List<Resource> all = new ArrayList<>(builtin);
        custom.stream().sorted(CUSTOM_ORDER).forEach(all::add);
        return new Catalogue(all);
    }

    /** Every resource. */
    public List<Resource> all() {
        return all;
    }

    /** Resources by version by group, both in order of preference. */
    Map<String, Map<String, List<Resource>>> groups() {
        return groups;
    }

    /** The resources of a version, or null where it is not served. */
    @Nullable
    List<Resource> version(String group, String version) {
        Map<String, List<Resource>> versions = groups.get(group);
        return versions == null ? null : versions.get(version);
    }
}
