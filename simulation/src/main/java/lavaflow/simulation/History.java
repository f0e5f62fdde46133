package lavaflow.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Everything that was, for lists that arrive late. */
final class History {
    private record Entry(long revision, KubeApi.Event event) {}

    private record Past(long revision, List<ObjectNode> objects, List<Entry> entries) {}

    /** The objects of a kind at a moment. */
    record Moment(long revision, List<ObjectNode> objects) {}

    private final Map<KubeApi.Kind, Past> pasts = new HashMap<>();
    private long newest;

    void begin(KubeApi.Kind kind, long revision, Collection<ObjectNode> present) {
        pasts.put(kind, new Past(revision, List.copyOf(present), new ArrayList<>()));
        newest = Math.max(newest, revision);
    }

    void add(KubeApi.Kind kind, long revision, KubeApi.Event event) {
        Past past = pasts.get(kind);
        if (past != null) {
            past.entries().add(new Entry(revision, event));
        }
        newest = Math.max(newest, revision);
    }

    /** How far it goes. */
    long newest() {
        return newest;
    }

    /**
     * Some moment before the latest, but not before another one.
     *
     * @return empty if nothing happened since then, or nobody knows what
     */
    Optional<Moment> earlier(KubeApi.Kind kind, long since, RandomGenerator random) {
        Past past = pasts.get(kind);
        if (past == null || past.revision() > since) {
            return Optional.empty();
        }
        List<Entry> entries = past.entries();
        int first = entries.size();
        while (first > 0 && entries.get(first - 1).revision() > since) {
            first--;
        }
        if (first == entries.size()) {
            return Optional.empty();
        }
        int end = first + random.nextInt(entries.size() - first);
        Map<String, ObjectNode> present = new LinkedHashMap<>();
        past.objects().forEach(object -> present.put(Observer.uid(object), object));
        for (Entry entry : entries.subList(0, end)) {
            ObjectNode object = entry.event().object();
            if (entry.event().deleted()) {
                present.remove(Observer.uid(object));
            } else {
                present.put(Observer.uid(object), object);
            }
        }
        List<ObjectNode> copies =
                present.values().stream().map(ObjectNode::deepCopy).toList();
        // Nothing of this kind happened between the last change and the moment asked for.
        long revision = end == 0 ? since : Math.max(since, entries.get(end - 1).revision());
        return Optional.of(new Moment(revision, copies));
    }
}
