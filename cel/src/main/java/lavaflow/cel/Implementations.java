package lavaflow.cel;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Where functions are found: those that take any types by name, the others by the id of their overload. */
final class Implementations {
    private final Map<String, Implementation> byFunction = new HashMap<>();
    private final Map<String, Implementation> byOverload = new HashMap<>();

    private Implementations() {
        StandardFunctions.register(this);
        StringFunctions.register(this);
        ListFunctions.register(this);
        OptionalFunctions.register(this);
        NetworkFunctions.register(this);
        QuantityFunctions.register(this);
        FormatFunctions.register(this);
        AuthorizerFunctions.register(this);
    }

    private static final class Holder {
        static final Implementations ALL = new Implementations();
    }

    static Implementations all() {
        return Holder.ALL;
    }

    /** A function that looks at the types of its arguments itself. */
    void function(String name, Implementation implementation) {
        byFunction.put(name, implementation);
    }

    /** A function whose arguments have the types of the overload's signature. */
    void overload(String id, Implementation implementation) {
        byOverload.put(id, implementation);
    }

    @Nullable
    Implementation function(String name) {
        return byFunction.get(name);
    }

    Implementation overload(String id) {
        Implementation found = byOverload.get(id);
        if (found == null) {
            throw new IllegalStateException("no implementation of " + id);
        }
        return found;
    }

    boolean implementsOverload(String function, String id) {
        return byFunction.containsKey(function) || byOverload.containsKey(id);
    }
}
