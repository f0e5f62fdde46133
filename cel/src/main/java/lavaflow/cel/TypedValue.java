package lavaflow.cel;

/** A value of one of Kubernetes' own types. */
interface TypedValue {
    CelType type();

    /** Equality: an error with values of other types, as upstream has it, except with null. */
    default boolean sameAs(Object other) {
        if (CelValues.NULL.equals(other)) {
            return false;
        }
        if (!(other instanceof TypedValue typed) || !typed.type().equals(type())) {
            throw Errors.noSuchOverload();
        }
        return equals(other);
    }
}
