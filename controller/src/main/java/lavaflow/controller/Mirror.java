package lavaflow.controller;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

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

    /** Hears of values that became others, on the follower's thread; must be quick. */
    @FunctionalInterface
    public interface Difference<T> {
        /**
         * What was and what is of one object; null where there is none. At least one of them is there, and they are not
         * equal. One that took the name of another is told after the other's end.
         */
        void told(@Nullable T before, @Nullable T after);
    }

    private final Predicate<ObjectNode> wanted;
    private final Function<ObjectNode, @Nullable T> view;
    private final Function<T, List<String>> index;
    private final Map<String, Entry<T>> byPlace = new TreeMap<>();
    private final Map<String, Map<String, T>> byIndex = new HashMap<>();
    private final List<Difference<T>> listeners = new ArrayList<>();

    /**
     * @param view makes the value that is kept, null where nothing is; must not hold on to the object if it is large
     * @param index under which words a value is found
     */
    public Mirror(
            Followers followers,
            KubeApi.Kind kind,
            Function<ObjectNode, @Nullable T> view,
            Function<T, List<String>> index) {
        this(followers, kind, _ -> true, view, index);
    }

    /**
     * As the other one, for some objects of the kind only.
     *
     * @param wanted which to keep; an object may become one of them, or cease to be
     */
    public Mirror(
            Followers followers,
            KubeApi.Kind kind,
            Predicate<ObjectNode> wanted,
            Function<ObjectNode, @Nullable T> view,
            Function<T, List<String>> index) {
        this(wanted, view, index);
        followers.listen(kind, KubeApi.View.WHOLE, this);
    }

    private Mirror(
            Predicate<ObjectNode> wanted, Function<ObjectNode, @Nullable T> view, Function<T, List<String>> index) {
        this.wanted = wanted;
        this.view = view;
        this.index = index;
    }

    /** A mirror of a kind that may not be served yet, or not any more: then it is empty. */
    public static <T> Mirror<T> whileServed(
            Followers followers,
            KubeApi.Kind kind,
            Function<ObjectNode, @Nullable T> view,
            Function<T, List<String>> index) {
        Mirror<T> mirror = new Mirror<>(_ -> true, view, index);
        followers.listenWhileServed(kind, KubeApi.View.WHOLE, mirror);
        return mirror;
    }

    /** Tells of every change that makes a difference to the value that is kept. Call before anything starts. */
    public Mirror<T> whenDifferent(Difference<T> listener) {
        listeners.add(listener);
        return this;
    }

    private static String place(String namespace, String name) {
        return namespace + "/" + name;
    }

    @Override
    public void onChange(KubeApi.Kind kind, ObjectNode object, boolean deleted) {
        String place = place(Json.textAt(object, "metadata", "namespace"), Json.textAt(object, "metadata", "name"));
        T value = deleted || !wanted.test(object) ? null : view.apply(object);
        String uid = Json.textAt(object, "metadata", "uid");
        T before;
        boolean another;
        synchronized (this) {
            Entry<T> had = byPlace.get(place);
            another = had != null && !had.uid().equals(uid);
            before = value == null ? forget(place) : keep(place, uid, value);
        }
        if (another) {
            // Its forerunner went unseen; the two may well look alike.
            tell(before, null);
            tell(null, value);
        } else {
            tell(before, value);
        }
    }

    /** Most changes of an object change nothing of its value, and fewer still the words it is found by. */
    private @Nullable T keep(String place, String uid, T value) {
        Entry<T> had = byPlace.get(place);
        if (had != null && had.uid().equals(uid) && had.value().equals(value)) {
            return had.value();
        }
        byPlace.put(place, new Entry<>(uid, value));
        List<String> words = index.apply(value);
        if (had != null) {
            for (String word : index.apply(had.value())) {
                if (!words.contains(word)) {
                    forget(word, place);
                }
            }
        }
        for (String word : words) {
            byIndex.computeIfAbsent(word, _ -> new TreeMap<>()).put(place, value);
        }
        return had == null ? null : had.value();
    }

    private void tell(@Nullable T before, @Nullable T after) {
        if (!listeners.isEmpty() && !Objects.equals(before, after)) {
            listeners.forEach(listener -> listener.told(before, after));
        }
    }

    private @Nullable T forget(String place) {
        Entry<T> before = byPlace.remove(place);
        if (before == null) {
            return null;
        }
        for (String word : index.apply(before.value())) {
            forget(word, place);
        }
        return before.value();
    }

    private void forget(String word, String place) {
        Map<String, T> found = byIndex.get(word);
        if (found != null) {
            found.remove(place);
            if (found.isEmpty()) {
                byIndex.remove(word);
            }
        }
    }

    @Override
    public void onRelist(KubeApi.Kind kind, Set<String> uids) {
        List<T> gone = new ArrayList<>();
        synchronized (this) {
            List<String> places = byPlace.entrySet().stream()
                    .filter(entry -> !uids.contains(entry.getValue().uid()))
                    .map(Map.Entry::getKey)
                    .toList();
            for (String place : places) {
                T value = forget(place);
                if (value != null) {
                    gone.add(value);
                }
            }
        }
        gone.forEach(value -> tell(value, null));
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

    private int count(String word) {
        Map<String, T> found = byIndex.get(word);
        return found == null ? 0 : found.size();
    }

    /** The values that have the one of these words that fewest have: those that have all of them are among these. None where there are no words. */
    public synchronized List<T> havingRarest(List<String> words) {
        return words.stream()
                .min(Comparator.comparingInt(this::count))
                .map(this::having)
                .orElse(List.of());
    }

    public synchronized List<T> all() {
        return byPlace.values().stream().map(Entry::value).toList();
    }
}
