package lavaflow.cel;

import java.util.Iterator;

import org.jspecify.annotations.Nullable;

/** A map or an object of the language. */
public interface CelMap {
    int size();

    /** The value of a key or field, or null if there is none. */
    @Nullable
    Object find(Object key);

    /** Whether there is a value: {@code has()}. */
    default boolean has(Object key) {
        return find(key) != null;
    }

    /** Keys in the order in which comprehensions see them. */
    Iterator<Object> keys();

    /** Whether this is an object with declared fields rather than a map. */
    default CelType type() {
        return CelType.map(CelType.DYN, CelType.DYN);
    }
}
