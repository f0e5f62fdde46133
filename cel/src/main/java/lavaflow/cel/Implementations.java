package lavaflow.cel;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Where functions of a library are found: those that take any types by name, the others by the id of their overload. A
 * library is loaded when the first expression calls one of its functions: most rules need none but the standard one.
 */
final class Implementations {
    private static final Map<String, Implementations> LIBRARIES = new ConcurrentHashMap<>();

    private final Map<String, Implementation> byFunction = new HashMap<>();
    private final Map<String, Implementation> byOverload = new HashMap<>();

    private Implementations(String library) {
        switch (library) {
            case "STANDARD" -> StandardFunctions.register(this);
            case "STRINGS", "REGEX", "MUTATION" -> StringFunctions.register(this);
            case "SETS", "LISTS", "KUBERNETES_LISTS" -> ListFunctions.register(this);
            case "OPTIONALS" -> OptionalFunctions.register(this);
            case "IP", "CIDR", "URLS" -> NetworkFunctions.register(this);
            case "QUANTITY", "SEMVER" -> QuantityFunctions.register(this);
            case "FORMAT" -> FormatFunctions.register(this);
            case "AUTHORIZER" -> AuthorizerFunctions.register(this);
            default -> {}
        }
    }

    private static Implementations of(String library) {
        return LIBRARIES.computeIfAbsent(library, Implementations::new);
    }

    /** A function that looks at the types of its arguments itself. */
    void function(String name, Implementation implementation) {
        byFunction.put(name, implementation);
    }

    void counted(String name, Implementation.Counted implementation) {
        byFunction.put(name, implementation);
    }

    void countedOverload(String id, Implementation.Counted implementation) {
        byOverload.put(id, implementation);
    }

    /** A function whose arguments have the types of the overload's signature. */
    void overload(String id, Implementation implementation) {
        byOverload.put(id, implementation);
    }

    /** The function by this name if it takes any types, else null. All of these are standard. */
    static @Nullable Implementation find(String function) {
        return of("STANDARD").byFunction.get(function);
    }

    static @Nullable Implementation find(Overload overload) {
        return of(overload.library()).byOverload.get(overload.id());
    }
}
