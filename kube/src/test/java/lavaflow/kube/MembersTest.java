package lavaflow.kube;

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MembersTest {
    /** Two with the same hash among them. */
    private static final List<String> NAMES = names();

    private static List<String> names() {
        List<String> names = new ArrayList<>(List.of("Aa", "BB", "", "metadata"));
        for (int i = 0; i < 30; i++) {
            names.add("field" + i);
        }
        return names;
    }

    /** The same is done to a map of Java's own; after each step both must be told apart by nothing. */
    @ParameterizedTest
    @ValueSource(ints = {3, 15, 16, 17, 34})
    void areLikeAMapThatKeepsItsOrder(int names) {
        Random random = new Random(names);
        Map<String, JsonNode> expected = new LinkedHashMap<>();
        Members members = new Members();
        for (int step = 0; step < 20_000; step++) {
            String name = NAMES.get(random.nextInt(names));
            JsonNode value = Json.number(step);
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> assertThat(members.put(name, value)).isEqualTo(expected.put(name, value));
                case 4 -> assertThat(members.putIfAbsent(name, value)).isEqualTo(expected.putIfAbsent(name, value));
                case 5, 6 -> assertThat(members.remove(name)).isEqualTo(expected.remove(name));
                case 7 -> removeSome(members, expected, random.nextLong());
                case 8 ->
                    assertThat(members.keySet().retainAll(NAMES.subList(1, names)))
                            .isEqualTo(expected.keySet().retainAll(NAMES.subList(1, names)));
                default -> {
                    if (random.nextInt(50) == 0) {
                        members.clear();
                        expected.clear();
                    }
                }
            }
            assertSame(members, expected, name);
        }
    }

    private static void removeSome(Map<String, JsonNode> members, Map<String, JsonNode> expected, long seed) {
        for (Map<String, JsonNode> each : List.of(members, expected)) {
            Random random = new Random(seed);
            switch (random.nextInt(3)) {
                case 0 -> each.entrySet().removeIf(_ -> random.nextInt(4) == 0);
                case 1 -> each.values().removeIf(_ -> random.nextInt(4) == 0);
                default -> each.keySet().removeAll(Set.of("Aa", "field" + random.nextInt(30)));
            }
        }
    }

    private static void assertSame(Members members, Map<String, JsonNode> expected, String name) {
        assertThat(members.size()).isEqualTo(expected.size());
        assertThat(members.isEmpty()).isEqualTo(expected.isEmpty());
        assertThat(members.get(name)).isEqualTo(expected.get(name));
        assertThat(members.containsKey(name)).isEqualTo(expected.containsKey(name));
        assertThat(List.copyOf(members.entrySet())).isEqualTo(List.copyOf(expected.entrySet()));
        assertThat(List.copyOf(members.keySet())).isEqualTo(List.copyOf(expected.keySet()));
        assertThat(List.copyOf(members.values())).isEqualTo(List.copyOf(expected.values()));
        List<String> told = new ArrayList<>();
        members.forEach((key, value) -> told.add(key + "=" + value));
        assertThat(told)
                .isEqualTo(expected.entrySet().stream().map(Object::toString).toList());
        assertThat(members.equals(expected) && expected.equals(members)).isTrue();
        assertThat(members.hashCode()).isEqualTo(expected.hashCode());
        assertThat(members.toString()).isEqualTo(expected.toString());
        assertThat(members.deepCopy().equals(expected)).isTrue();
    }

    @Test
    void differFromOthersByNameValueAndNumber() {
        Members members = new Members();
        members.put("a", Json.text("1"));

        assertThat(members.equals(Map.of("a", Json.text("2")))).isFalse();
        assertThat(members.equals(Map.of("b", Json.text("1")))).isFalse();
        assertThat(members.equals(Map.of("a", Json.text("1"), "b", Json.text("1"))))
                .isFalse();
        assertThat(members.equals(Map.of("a", Json.text("1")))).isTrue();
    }

    @Test
    void tellWhoGoesThroughThemThatTheyChanged() {
        Members members = new Members();
        members.put("a", Json.number(1));
        members.put("b", Json.number(2));
        Iterator<Map.Entry<String, JsonNode>> walk = members.entrySet().iterator();
        walk.next();
        members.remove("b");

        assertThatThrownBy(walk::next).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(() -> members.forEach((_, value) -> members.put("c", value)))
                .isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void viewsTakenBeforeThereWereManyGoOnToShowThem() {
        Members members = new Members();
        Set<String> names = members.keySet();
        for (int i = 0; i < 40; i++) {
            members.put("field" + i, Json.number(i));
        }

        assertThat(names).hasSize(40).contains("field0", "field39");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16, 17, 100})
    void copiesOfAnObjectAreItsOwn(int size) {
        ObjectNode object = Json.object();
        for (int i = 0; i < size; i++) {
            object.putObject("field" + i).put("a", i);
        }
        ObjectNode copy = object.deepCopy();

        assertThat(copy).isEqualTo(object);
        assertThat(Json.string(copy)).isEqualTo(Json.string(object));
        copy.put("another", 1);
        copy.properties().forEach(each -> {
            if (each.getValue() instanceof ObjectNode inner) {
                inner.put("b", 1);
            }
        });
        assertThat(object).hasSize(size);
        assertThat(Json.string(object)).doesNotContain("\"b\"");
        assertThat(Json.parse(Json.bytes(copy))).isEqualTo(copy);
    }
}
