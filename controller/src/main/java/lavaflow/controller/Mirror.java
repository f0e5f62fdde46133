package lavaflow.controller;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What exists of one kind, as small values of the caller's making, kept current by its follower.
 *
 * <p>Values are found by place and by one index; lists come in the order of namespace and name. Safe for concurrent use.
 * Make it before the controllers that read it start to follow the kind, so that it knows of a change before they do.
 */
public final class Mirror<T> implements ChangeListener {
    private record Entry<T>(String uid, T value) {}

    private final Function<ObjectNode, T> view;
    private final Function<T, List<String>> index;
    private final Map<String, Entry<T>> byPlace = new TreeMap<>();
    private final Map<String, Map<String, T>> byIndex = new HashMap<>();

    /**
     * @param view makes the value that is kept; must not hold on to the object if it is large
     * @param index under which words a value is found
     */
    public Mirror(
            Followers followers, KubeApi.Kind kind, Function<ObjectNode, T> view, Function<T, List<String>> index) {
        this.view = view;
        this.index = index;
        followers.listen(kind, KubeApi.View.WHOLE, this);
    }

    private static String place(String namespace, String name) {
        return namespace + "/" + name;
    }

    @Override
    public synchronized void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        String place = place(Json.textAt(object, "metadata", "namespace"), Json.textAt(object, "metadata", "name"));
        forget(place);
        if (!deleted) {
            T value = view.apply(object);
            byPlace.put(place, new Entry<>(Json.textAt(object, "metadata", "uid"), value));
            for (String word : index.apply(value)) {
                byIndex.computeIfAbsent(word, _ -> new TreeMap<>()).put(place, value);
            }
        }
    }

    private void forget(String place) {
        Entry<T> before = byPlace.remove(place);
        if (before == null) {
            return;
        }
        for (String word : index.apply(before.value())) {
            Map<String, T> found = byIndex.get(word);
            if (found != null) {
                found.remove(place);
                if (found.isEmpty()) {
                    byIndex.remove(word);
                }
            }
        }
    }

    @Override
    public synchronized void onRelist(KubeApi.Kind kind, Set<String> uids) {
        List<String> gone = byPlace.entrySet().stream()
                .filter(entry -> !uids.contains(entry.getValue().uid()))
                .map(Map.Entry::getKey)
                .toList();
        gone.forEach(this::forget);
    }

    public synchronized @Nullable T get(String namespace, String name) {
        Entry<T> entry = byPlace.get(place(namespace, name));
        return entry == null ? null : entry.value();
    }

    /** The values that have a word in the index. */
    public synchronized List<T> having(String word) {
        Map<String, T> found = byIndex.get(word);
        return found == null ? List.of() : new ArrayList<>(found.values());
    }

    public synchronized List<T> all() {
        return byPlace.values().stream().map(Entry::value).toList();
    }
}
