package lavaflow.kube;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SelectorIndexTest {
    private final SelectorIndex<String> index = new SelectorIndex<>();

    private static ObjectNode labels(Random random) {
        ObjectNode labels = Json.object();
        for (String name : List.of("job", "role", "index")) {
            if (random.nextInt(3) > 0) {
                labels.put(name, "v" + random.nextInt(3));
            }
        }
        return labels;
    }

    @Test
    void findsWhatAskingAllOfThemWouldFind() {
        Map<String, ObjectNode> known = new TreeMap<>();
        Random random = new Random(5);
        for (int step = 0; step < 3_000; step++) {
            String key = random.nextInt(2) + "/" + random.nextInt(12);
            String namespace = key.substring(0, 1);
            ObjectNode before = known.get(key);
            if (random.nextInt(4) == 0) {
                assertThat(index.remove(key)).isEqualTo(before != null);
                known.remove(key);
            } else {
                ObjectNode selector = labels(random);
                if (selector.isEmpty()) {
                    assertThat(index.put(key, namespace, selector)).isEqualTo(before != null);
                    known.remove(key);
                } else {
                    assertThat(index.put(key, namespace, selector)).isEqualTo(!selector.equals(before));
                    known.put(key, selector);
                }
            }
            ObjectNode object = labels(random);
            Map<String, ObjectNode> expected = new TreeMap<>(known);
            expected.entrySet()
                    .removeIf(entry -> !entry.getKey().startsWith("1/")
                            || !LabelSelector.ofLabels(entry.getValue()).matches(object));
            assertThat(index.matching("1", object)).isEqualTo(expected);
        }
        List.copyOf(known.keySet()).forEach(index::remove);
        assertThat(index.isEmpty()).isTrue();
    }

    @Test
    void nobodyWithoutLabelsIsFound() {
        assertThat(index.put("one", "n", null)).isFalse();
        assertThat(index.put("two", "n", Json.object())).isFalse();
        assertThat(index.matching("n", null)).isEmpty();
        assertThat(index.isEmpty()).isTrue();
    }
}
