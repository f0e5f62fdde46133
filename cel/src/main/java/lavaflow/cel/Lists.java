package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** Lists of values. */
final class Lists {
    private Lists() {}

    /** Values in memory. Grows only while a loop builds it, before anyone else can see it. */
    record Values(List<Object> elements) implements CelList {
        @Override
        public int size() {
            return elements.size();
        }

        @Override
        public Object get(int index) {
            return elements.get(index);
        }

        /** As a key of a map a list is only itself, as upstream has it; that also keeps hashing cheap. */
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** Two lists seen as one: adding lists costs nothing however long they are. */
    private record Concatenation(CelList first, CelList second, int size) implements CelList {
        @Override
        public Object get(int index) {
            return index < first.size() ? first.get(index) : second.get(index - first.size());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    static CelList of(List<?> elements) {
        List<Object> copy = new ArrayList<>(elements.size());
        elements.forEach(element -> copy.add(Objects.requireNonNull(element)));
        return new Values(copy);
    }

    static CelList concat(CelList left, CelList right) {
        if (left.size() == 0) {
            return right;
        }
        long size = (long) left.size() + right.size();
        if (size > Work.MOST) {
            throw new CelException("list is too long");
        }
        return right.size() == 0 ? left : new Concatenation(left, right, (int) size);
    }

    /** The elements; each is asked for once. */
    static List<Object> elements(CelList list) {
        List<Object> elements = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            elements.add(list.get(i));
        }
        return elements;
    }
}
