package lavaflow.cel;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Values of variables. A value is a JSON tree, which is viewed by the variable's declared type, or a value of the
 * language ({@link CelValues}). Asked each time a variable is read, so a lazy one may compute on demand.
 */
@FunctionalInterface
public interface Bindings {
    /** The variable's value, or null if it has none: reading it is then an error. */
    @Nullable
    Object find(String variable);

    static Bindings of(Map<String, ?> values) {
        return values::get;
    }

    static Bindings of(String variable, Object value) {
        return name -> name.equals(variable) ? value : null;
    }

    static Bindings of(String first, Object firstValue, String second, Object secondValue) {
        return name -> name.equals(first) ? firstValue : name.equals(second) ? secondValue : null;
    }
}
