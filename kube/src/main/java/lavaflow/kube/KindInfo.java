package lavaflow.kube;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A kind as discovery announces it: where it is served and what may be done with it.
 *
 * @param group the API group, empty for the core group
 * @param version the version, {@code v1}
 * @param kind {@code Pod}
 * @param listKind {@code PodList}; empty where the kind cannot be listed
 * @param resource the plural in paths, {@code pods}
 * @param singular {@code pod}
 * @param namespaced objects live in namespaces
 * @param verbs what may be done, sorted
 * @param shortNames {@code po}
 * @param categories {@code all}
 * @param storageVersionHash a constant that discovery shows; empty where nothing is stored
 * @param struct name of the kind's struct in {@link Types}
 * @param subresources in the order of discovery
 */
public record KindInfo(
        String group,
        String version,
        String kind,
        String listKind,
        String resource,
        String singular,
        boolean namespaced,
        List<String> verbs,
        List<String> shortNames,
        List<String> categories,
        String storageVersionHash,
        String struct,
        List<Subresource> subresources) {

    /**
     * Something below an object: {@code pods/log}.
     *
     * @param name the path segment
     * @param group group of the kind that is sent and answered
     * @param version its version
     * @param kind its name
     * @param namespaced whether the parent is
     * @param verbs what may be done, sorted
     * @param struct name of the struct in {@link Types}
     */
    public record Subresource(
            String name,
            String group,
            String version,
            String kind,
            boolean namespaced,
            List<String> verbs,
            String struct) {}

    /** {@code apps/v1}, or {@code v1} for the core group. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    public boolean allows(String verb) {
        return verbs.contains(verb);
    }

    /** The subresource of that name, or null. */
    public @Nullable Subresource subresource(String name) {
        for (Subresource candidate : subresources) {
            if (candidate.name().equals(name)) {
                return candidate;
            }
        }
        return null;
    }
}
