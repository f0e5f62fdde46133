package lavaflow.cel;

/** A value of one of Kubernetes' own types. */
interface TypedValue {
    CelType type();
}
