package lavaflow.cel;

/** A list of a schema in which order does not matter: a set, or a map by keys of its elements. */
interface KeyedList extends CelList {
    /** Whether another list of the same size has the same elements. */
    boolean sameAs(CelList other);

    /** The list with the elements of the other added; those whose key is there already replace the old ones. */
    CelList merged(CelList other);
}
