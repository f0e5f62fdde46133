package lavaflow.kube;

import java.io.IOException;
import java.util.AbstractCollection;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializerProvider;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object, in the order in which they were put.
 *
 * <p>Almost every object of the API has a handful of members, and trees of them are most of what a server makes and keeps. A {@link
 * LinkedHashMap} spends three times the memory on them: here names and values stand side by side in one array, and a name is
 * found by looking at each. Objects with more than {@value #FEW} members are left to a {@code LinkedHashMap}.
 *
 * <p>As with that, any number of threads may read what nobody changes.
 */
final class Members implements Map<String, JsonNode> {
    /** So many are looked through one after the other. */
    static final int FEW = 16;

    private static final Object[] NONE = {};
    /** Stands where a member was, so that it can go. */
    private static final Object FREE = "";

    /** A name, its value, the next name, its value. */
    private Object[] slots;

    private int size;
    /** A bit for the hash of each name that is or was there: most of those that are not are known at once. */
    private int marks;
    /** All of them, when they are more than a few. */
    private @Nullable Map<String, JsonNode> many;

    Members() {
        slots = NONE;
    }

    /** With room for so many. */
    Members(int expected) {
        if (expected > FEW) {
            slots = NONE;
            many = LinkedHashMap.newLinkedHashMap(expected);
        } else {
            slots = expected == 0 ? NONE : new Object[2 * expected];
        }
    }

    /** Those that stand in a part of an array as they stand in ours; no name may be there twice. */
    static Members of(Object[] slots, int from, int to) {
        int size = (to - from) / 2;
        if (size > FEW) {
            Members members = new Members(size);
            for (int at = from; at < to; at += 2) {
                members.append((String) slots[at], (JsonNode) slots[at + 1]);
            }
            return members;
        }
        int marks = 0;
        for (int at = from; at < to; at += 2) {
            marks |= 1 << ((String) slots[at]).hashCode();
        }
        return of(slots, from, to, marks);
    }

    private static Members of(Object[] slots, int from, int to, int marks) {
        Members members = new Members();
        members.slots = from == to ? NONE : Arrays.copyOfRange(slots, from, to);
        members.size = (to - from) / 2;
        members.marks = marks;
        return members;
    }

    private String name(int at) {
        return (String) slots[at];
    }

    private JsonNode value(int at) {
        return (JsonNode) slots[at + 1];
    }

    /** Where a name stands, or -1. */
    @SuppressWarnings(
            "ReferenceEquality") // Names that were read are the strings of the program's own text (TextCache).
    private int find(@Nullable Object key) {
        if (!(key instanceof String wanted) || (marks & (1 << wanted.hashCode())) == 0) {
            return -1;
        }
        int end = 2 * size;
        for (int at = 0; at < end; at += 2) {
            if (slots[at] == key) {
                return at;
            }
        }
        for (int at = 0; at < end; at += 2) {
            if (wanted.equals(slots[at])) {
                return at;
            }
        }
        return -1;
    }

    @Override
    public int size() {
        return many == null ? size : many.size();
    }

    @Override
    public boolean isEmpty() {
        return size() == 0;
    }

    @Override
    public @Nullable JsonNode get(@Nullable Object key) {
        if (many != null) {
            return many.get(key);
        }
        int at = find(key);
        return at < 0 ? null : value(at);
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return many == null ? find(key) >= 0 : many.containsKey(key);
    }

    @Override
    public boolean containsValue(@Nullable Object value) {
        return values().contains(value);
    }

    @Override
    public @Nullable JsonNode put(String name, JsonNode value) {
        if (many != null) {
            return many.put(name, value);
        }
        int at = find(name);
        if (at >= 0) {
            JsonNode before = value(at);
            slots[at + 1] = value;
            return before;
        }
        append(name, value);
        return null;
    }

    /** Puts a member whose name is not there yet. */
    private void append(String name, JsonNode value) {
        if (many == null && size == FEW) {
            Map<String, JsonNode> all = LinkedHashMap.newLinkedHashMap(2 * FEW);
            forEach(all::put);
            clear();
            many = all;
        }
        if (many != null) {
            many.put(name, value);
            return;
        }
        int at = 2 * size;
        if (at == slots.length) {
            slots = Arrays.copyOf(slots, Math.clamp(2L * at, 8, 2 * FEW));
        }
        slots[at] = name;
        slots[at + 1] = value;
        marks |= 1 << name.hashCode();
        size++;
    }

    @Override
    public void putAll(Map<? extends String, ? extends JsonNode> others) {
        others.forEach(this::put);
    }

    @Override
    public @Nullable JsonNode remove(@Nullable Object key) {
        if (many != null) {
            return many.remove(key);
        }
        int at = find(key);
        if (at < 0) {
            return null;
        }
        JsonNode before = value(at);
        removeAt(at);
        return before;
    }

    private void removeAt(int at) {
        int end = 2 * size;
        System.arraycopy(slots, at + 2, slots, at, end - at - 2);
        Arrays.fill(slots, end - 2, end, FREE);
        size--;
    }

    @Override
    public void clear() {
        many = null;
        slots = NONE;
        size = 0;
        marks = 0;
    }

    /** Cheaper than an iterator, which makes an entry for each. */
    @Override
    public void forEach(BiConsumer<? super String, ? super JsonNode> action) {
        if (many != null) {
            many.forEach(action);
            return;
        }
        int expected = size;
        for (int at = 0; at < 2 * expected; at += 2) {
            action.accept(name(at), value(at));
            if (size != expected) {
                throw new ConcurrentModificationException();
            }
        }
    }

    Members deepCopy() {
        if (many != null) {
            Members copy = new Members(many.size());
            many.forEach((name, value) -> copy.append(name, value.deepCopy()));
            return copy;
        }
        Members copy = of(slots, 0, 2 * size, marks);
        for (int at = 1; at < 2 * size; at += 2) {
            copy.slots[at] = ((JsonNode) slots[at]).deepCopy();
        }
        return copy;
    }

    /** Names and values, between the brackets of their object. */
    void writeTo(JsonGenerator out, SerializerProvider provider) throws IOException {
        if (many != null) {
            for (Entry<String, JsonNode> member : many.entrySet()) {
                out.writeFieldName(member.getKey());
                member.getValue().serialize(out, provider);
            }
            return;
        }
        for (int at = 0; at < 2 * size; at += 2) {
            out.writeFieldName(name(at));
            value(at).serialize(out, provider);
        }
    }

    @Override
    public Set<Entry<String, JsonNode>> entrySet() {
        return many == null ? new Entries() : many.entrySet();
    }

    @Override
    public Set<String> keySet() {
        return many == null ? new Names() : many.keySet();
    }

    @Override
    public Collection<JsonNode> values() {
        return many == null ? new Values() : many.values();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (other == this) {
            return true;
        }
        if (many != null) {
            return many.equals(other);
        }
        if (!(other instanceof Map<?, ?> map) || map.size() != size) {
            return false;
        }
        for (int at = 0; at < 2 * size; at += 2) {
            if (!value(at).equals(map.get(name(at)))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        if (many != null) {
            return many.hashCode();
        }
        int hash = 0;
        for (int at = 0; at < 2 * size; at += 2) {
            hash += name(at).hashCode() ^ value(at).hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        return new LinkedHashMap<>(this).toString();
    }

    /** Goes through the slots. */
    private abstract class Walk<T> implements Iterator<T> {
        private int next;
        private int expected = size;

        /** What stands at a position. */
        abstract T at(int position);

        @Override
        public boolean hasNext() {
            return next < 2 * expected;
        }

        @Override
        public T next() {
            if (size != expected) {
                throw new ConcurrentModificationException();
            }
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            next += 2;
            return at(next - 2);
        }

        @Override
        public void remove() {
            if (size != expected) {
                throw new ConcurrentModificationException();
            }
            next -= 2;
            removeAt(next);
            expected--;
        }
    }

    /** Entries are made for whoever goes through them, and only tell. */
    private final class Entries extends AbstractSet<Entry<String, JsonNode>> {
        @Override
        public Iterator<Entry<String, JsonNode>> iterator() {
            return many != null
                    ? many.entrySet().iterator()
                    : new Walk<>() {
                        @Override
                        Entry<String, JsonNode> at(int position) {
                            return Map.entry(name(position), value(position));
                        }
                    };
        }

        @Override
        public int size() {
            return Members.this.size();
        }
    }

    private final class Names extends AbstractSet<String> {
        @Override
        public Iterator<String> iterator() {
            return many != null
                    ? many.keySet().iterator()
                    : new Walk<>() {
                        @Override
                        String at(int position) {
                            return name(position);
                        }
                    };
        }

        @Override
        public int size() {
            return Members.this.size();
        }

        @Override
        public boolean contains(@Nullable Object name) {
            return containsKey(name);
        }
    }

    private final class Values extends AbstractCollection<JsonNode> {
        @Override
        public Iterator<JsonNode> iterator() {
            return many != null
                    ? many.values().iterator()
                    : new Walk<>() {
                        @Override
                        JsonNode at(int position) {
                            return value(position);
                        }
                    };
        }

        @Override
        public int size() {
            return Members.this.size();
        }
    }
}
