package lavaflow.cel;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** Maps and objects of values. */
final class Maps {
    private Maps() {}

    /** Entries in memory. Numbers that are equal are the same key, whatever their type. */
    record Values(Map<Object, Object> entries) implements CelMap {
        @Override
        public int size() {
            return entries.size();
        }

        @Override
        public @Nullable Object find(Object key) {
            Object value = entries.get(key);
            if (value != null || key instanceof String) {
                return value;
            }
            return switch (key) {
                case Long number -> number < 0 ? null : entries.get(new UnsignedLong(number));
                case UnsignedLong number -> number.bits() < 0 ? null : entries.get(number.bits());
                case Double number -> findWhole(number);
                default -> null;
            };
        }

        private @Nullable Object findWhole(double number) {
            if (number != Math.rint(number) || Math.abs(number) >= 0x1p63) {
                return null;
            }
            Object value = entries.get((long) number);
            return value != null || number < 0 ? value : entries.get(new UnsignedLong((long) number));
        }

        /** As a key of a map a map is only itself, as upstream has it; that also keeps hashing cheap. */
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public Iterator<Object> keys() {
            return Collections.unmodifiableSet(entries.keySet()).iterator();
        }
    }

    /** An object with declared fields whose values are computed when read. */
    record Lazy(CelType.ObjectOf type, Function<String, @Nullable Object> field) implements CelMap {
        @Override
        public int size() {
            return type.fields().size();
        }

        @Override
        public @Nullable Object find(Object key) {
            return key instanceof String name ? field.apply(name) : null;
        }

        @Override
        public Iterator<Object> keys() {
            return Collections.<Object>unmodifiableSet(
                            new java.util.LinkedHashSet<>(type.fields().keySet()))
                    .iterator();
        }
    }

    /** An object made by an expression or by the caller. */
    record Made(CelType.ObjectOf type, Map<String, Object> fields) implements CelMap {
        @Override
        public int size() {
            return fields.size();
        }

        @Override
        public @Nullable Object find(Object key) {
            return key instanceof String name ? fields.get(name) : null;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public Iterator<Object> keys() {
            return new LinkedHashMap<Object, Object>(fields).keySet().iterator();
        }
    }
}
