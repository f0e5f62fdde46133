package lavaflow.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Distributes endpoints with the same ports over slices, with as few writes as can be: every watcher of every slice pays
 * for each of them. Slices are left half empty rather than packed anew.
 */
final class SlicePacking {
    private final SliceState empty;
    private final ObjectNode labels;
    private final int most;
    private final Map<String, SliceState> byName = new LinkedHashMap<>();
    private final Set<String> unchanged = new LinkedHashSet<>();
    private final Set<String> changed = new LinkedHashSet<>();
    private final SliceChanges changes = SliceChanges.nothing();

    /**
     * @param empty a slice of these ports without endpoints, as a new one begins
     * @param labels what every slice should have
     * @param most how many endpoints one slice may have
     */
    SlicePacking(SliceState empty, ObjectNode labels, int most) {
        this.empty = empty;
        this.labels = labels;
        this.most = most;
    }

    SliceChanges pack(List<SliceState> existing, Map<Endpoint.Identity, Endpoint> desired) {
        Map<Endpoint.Identity, Endpoint> left = new LinkedHashMap<>(desired);
        existing.forEach(slice -> keep(slice, left));
        List<Endpoint> homeless = new ArrayList<>(left.values());
        fillChanged(homeless);
        while (!homeless.isEmpty()) {
            fillAnother(homeless);
        }
        changed.forEach(name -> changes.update().add(slice(name)));
        unchanged.forEach(name -> changes.unchanged().add(slice(name)));
        return changes;
    }

    private SliceState slice(String name) {
        return java.util.Objects.requireNonNull(byName.get(name));
    }

    /** Takes from a slice what is not wanted any more, and from what is left over what the slice has. */
    private void keep(SliceState slice, Map<Endpoint.Identity, Endpoint> left) {
        List<Endpoint> kept = new ArrayList<>();
        boolean same = true;
        for (Endpoint endpoint : slice.endpoints()) {
            Endpoint wanted = left.remove(endpoint.identity());
            if (wanted != null) {
                kept.add(wanted);
                same &= wanted.sameBeyondHints(endpoint);
            }
        }
        same &= kept.size() == slice.endpoints().size();
        boolean labelled = SliceLabels.own(slice.metadata()).equals(SliceLabels.own(empty.metadata()));
        if (!same && kept.isEmpty()) {
            changes.delete().add(slice);
        } else if (!same) {
            byName.put(slice.name(), slice.withEndpoints(kept).with("labels", labels));
            changed.add(slice.name());
        } else if (!labelled) {
            byName.put(slice.name(), slice.with("labels", labels));
            changed.add(slice.name());
        } else {
            byName.put(slice.name(), slice);
            unchanged.add(slice.name());
        }
    }

    /** What is written anyway is filled first, the fullest before the others. */
    private void fillChanged(List<Endpoint> homeless) {
        List<SliceState> fullestFirst = changed.stream()
                .map(this::slice)
                .sorted(Comparator.comparingInt(slice -> -slice.endpoints().size()))
                .toList();
        for (SliceState slice : fullestFirst) {
            byName.put(slice.name(), filled(slice, homeless));
        }
    }

    /** One slice that takes all the rest, the one with the least room to spare; or a new one. */
    private void fillAnother(List<Endpoint> homeless) {
        SliceState found = homeless.size() < most ? tightest(homeless.size()) : null;
        if (found == null) {
            changes.create().add(filled(empty, homeless));
        } else {
            byName.put(found.name(), filled(found, homeless));
            unchanged.remove(found.name());
            changed.add(found.name());
        }
    }

    private @Nullable SliceState tightest(int count) {
        SliceState best = null;
        for (String name : unchanged) {
            SliceState slice = slice(name);
            int size = slice.endpoints().size();
            if (size + count <= most && (best == null || size > best.endpoints().size())) {
                best = slice;
            }
        }
        return best;
    }

    private SliceState filled(SliceState slice, List<Endpoint> homeless) {
        List<Endpoint> all = new ArrayList<>(slice.endpoints());
        List<Endpoint> added = homeless.subList(0, Math.clamp(most - all.size(), 0, homeless.size()));
        all.addAll(added);
        added.clear();
        return slice.withEndpoints(all);
    }

    /** Labels of slices: those of the service, but for the ones that mean something to slices. */
    static final class SliceLabels {
        private static final Set<String> RESERVED =
                Set.of(SliceState.SERVICE_NAME, SliceState.MANAGED_BY, SliceState.HEADLESS);

        private SliceLabels() {}

        /** The labels that came from the service. */
        static ObjectNode own(ObjectNode metadata) {
            ObjectNode own = Json.object();
            ObjectNode labels = Json.objectAt(metadata, "labels");
            if (labels != null) {
                labels.properties().stream()
                        .filter(label -> !RESERVED.contains(label.getKey()))
                        .forEach(label -> own.set(label.getKey(), label.getValue()));
            }
            return own;
        }

        static ObjectNode of(ObjectNode service, String manager) {
            ObjectNode labels = own(Json.ensureObject(service, "metadata"));
            if (isHeadless(service)) {
                labels.put(SliceState.HEADLESS, "");
            }
            return labels.put(SliceState.SERVICE_NAME, Objects.name(service)).put(SliceState.MANAGED_BY, manager);
        }
    }

    static boolean isHeadless(ObjectNode service) {
        String ip = Json.textAt(service, "spec", "clusterIP");
        return ip.isEmpty() || ip.equals("None");
    }
}
