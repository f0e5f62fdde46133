package lavaflow.cel;

/** A list of the language. */
public interface CelList {
    int size();

    /** The element, a value of the language; throws {@link CelException} where the data does not fit its declared type. */
    Object get(int index);

    /** Equality with something that is no list: false, but for lists of schemas an error as upstream has it. */
    default boolean sameAsOther(Object other) {
        return false;
    }
}
