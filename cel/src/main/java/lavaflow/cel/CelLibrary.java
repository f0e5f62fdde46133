package lavaflow.cel;

/** Functions beyond the standard ones. {@link CelEnvironment#kubernetes()} has those that Kubernetes gives to every expression. */
public enum CelLibrary {
    OPTIONALS,
    STRINGS,
    SETS,
    TWO_VARIABLE_COMPREHENSIONS,
    /** cel-go's list functions: slice, flatten, sort, distinct, range, ... */
    LISTS,
    KUBERNETES_LISTS,
    REGEX,
    URLS,
    IP,
    CIDR,
    QUANTITY,
    SEMVER,
    FORMAT,
    /** Functions of the authorizer; bind a {@link CelAuthorizer} through {@link CelValues#authorizer}. */
    AUTHORIZER,
    /** {@code Object{}}, {@code JSONPatch{}} and {@code jsonpatch.escapeKey} of mutating admission policies. */
    MUTATION,
    /** {@code cel.bind}; Kubernetes does not have it. */
    BINDINGS
}
