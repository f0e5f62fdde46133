package lavaflow.cel;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The syntax tree, macros expanded. Every node has an id, which the checker's findings refer to, and the offset (in code
 * points) where errors about it point to.
 */
sealed interface Expr {
    int id();

    int offset();

    /** A constant. */
    record Literal(int id, int offset, Object value) implements Expr {}

    /** A name. */
    record Ident(int id, int offset, String name) implements Expr {}

    /** A field, or the test whether there is one. */
    record Select(int id, int offset, Expr operand, String field, boolean test) implements Expr {}

    /** A call of a function or operator; operators have names such as {@code _+_}. */
    record Call(
            int id, int offset, String function, @Nullable Expr target, List<Expr> args) implements Expr {
        boolean is(String name) {
            return target == null && function.equals(name);
        }
    }

    /** A list; an element marked optional is left out if absent. */
    record ListLiteral(int id, int offset, List<Expr> elements, List<Boolean> optional) implements Expr {}

    /** A map. */
    record MapLiteral(int id, int offset, List<Entry> entries) implements Expr {}

    /** An entry of a map. */
    record Entry(int id, int offset, Expr key, Expr value, boolean optional) {}

    /** An object. */
    record ObjectLiteral(int id, int offset, String typeName, List<Field> fields) implements Expr {}

    /** A field of an object. */
    record Field(int id, int offset, String name, Expr value, boolean optional) {}

    /** A loop: what macros such as {@code all} become. */
    record Comprehension(
            int id,
            int offset,
            String variable,
            @Nullable String secondVariable,
            Expr range,
            String accumulator,
            Expr initial,
            Expr condition,
            Expr step,
            Expr result)
            implements Expr {}
}
