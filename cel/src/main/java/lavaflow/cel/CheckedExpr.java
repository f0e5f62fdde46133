package lavaflow.cel;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** A checked expression: each node's type, and for calls the overloads that fit. */
@SuppressWarnings("ArrayRecordComponent") // indexed by id, never compared
record CheckedExpr(
        Expr root,
        @Nullable CelType[] types,
        @Nullable List<Overload>[] overloads,
        @Nullable String[] names) {
    CelType type(Expr expr) {
        CelType type = types[expr.id()];
        return type == null ? CelType.DYN : type;
    }

    List<Overload> overloads(Expr expr) {
        List<Overload> fitting = overloads[expr.id()];
        return fitting == null ? List.of() : fitting;
    }

    /** The variable, type or qualified function a node turned out to refer to as a whole, or null. */
    @Nullable
    String name(Expr expr) {
        return names[expr.id()];
    }
}
