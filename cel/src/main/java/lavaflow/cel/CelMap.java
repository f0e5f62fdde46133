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

    /** Whether what this map has beyond its keys is in the other, too: fields of an object that no type declares. */
    default boolean sameBeyondKeys(CelMap other) {
        return true;
    }

    /** Equality with something that is no map: false, but for objects of schemas an error as upstream has it. */
    default boolean sameAsOther(Object other) {
        return false;
    }

    /** Keys in the order in which comprehensions see them. */
    Iterator<Object> keys();

    /** Whether this is an object with declared fields rather than a map. */
    default CelType type() {
        return CelType.map(CelType.DYN, CelType.DYN);
    }
}
