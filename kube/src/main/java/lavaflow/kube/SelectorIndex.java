package lavaflow.kube;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Finds those whose selectors of labels fit an object, among thousands, without asking all of them. Each is found by the one of its
 * labels that fewest others ask for when it comes: a number where a job has a thousand pods, a name where there are a
 * thousand jobs. Safe for concurrent use.
 *
 * @param <K> what has a selector; found in its order
 */
public final class SelectorIndex<K extends Comparable<K>> {
    /** @param word the label it is found by */
    private record Entry(ObjectNode selector, List<String> words, String word) {}

    private final Map<K, Entry> entries = new HashMap<>();
    private final Map<String, Map<K, ObjectNode>> byWord = new HashMap<>();
    /** How many ask for a label. */
    private final Map<String, Integer> counts = new HashMap<>();

    /** The labels of an object or selector, each as one word that also says where it counts. */
    public static List<String> words(String namespace, @Nullable JsonNode labels) {
        List<String> words = new ArrayList<>();
        if (labels != null) {
            labels.properties()
                    .forEach(label -> words.add(namespace + "/" + label.getKey() + "="
                            + label.getValue().asText()));
        }
        return words;
    }

    /**
     * Somebody selects objects of a namespace.
     *
     * @param selector labels that must all be there; null or none where nothing is selected
     * @return whether that is something else than before
     */
    public synchronized boolean put(K key, String namespace, @Nullable ObjectNode selector) {
        List<String> words = words(namespace, selector);
        Entry before = entries.get(key);
        if (before == null ? words.isEmpty() : before.words().equals(words)) {
            return false;
        }
        remove(key);
        if (selector == null || words.isEmpty()) {
            return true;
        }
        words.forEach(word -> counts.merge(word, 1, Integer::sum));
        String word = words.stream().min(Comparator.comparingInt(counts::get)).orElseThrow();
        entries.put(key, new Entry(selector, words, word));
        byWord.computeIfAbsent(word, _ -> new TreeMap<>()).put(key, selector);
        return true;
    }

    /** Somebody is gone; false if nobody knew him. */
    public synchronized boolean remove(K key) {
        Entry entry = entries.remove(key);
        if (entry == null) {
            return false;
        }
        entry.words().forEach(word -> counts.computeIfPresent(word, (_, count) -> count == 1 ? null : count - 1));
        byWord.computeIfPresent(entry.word(), (_, found) -> {
            found.remove(key);
            return found.isEmpty() ? null : found;
        });
        return true;
    }

    /** The selectors that fit an object with such labels, by whose they are. */
    public synchronized Map<K, ObjectNode> matching(String namespace, @Nullable JsonNode labels) {
        Map<K, ObjectNode> all = new TreeMap<>();
        for (String word : words(namespace, labels)) {
            byWord.getOrDefault(word, Map.of()).forEach((key, selector) -> {
                if (LabelSelector.ofLabels(selector).matches(labels)) {
                    all.put(key, selector);
                }
            });
        }
        return all;
    }

    public synchronized boolean isEmpty() {
        return entries.isEmpty();
    }
}
