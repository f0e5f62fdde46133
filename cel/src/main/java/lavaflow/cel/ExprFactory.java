package lavaflow.cel;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Makes nodes: gives them ids and bounds how deep they nest, so that whoever walks the tree may recurse. */
final class ExprFactory {
    private static final int DEEPEST = 250;

    /** Accumulator of loops; not a name anyone could write. */
    static final String ACCUMULATOR = "@result";

    private final List<Integer> heights = new ArrayList<>();

    int size() {
        return heights.size();
    }

    private int height(@Nullable Expr expr) {
        return expr == null ? 0 : heights.get(expr.id());
    }

    private int id(int height) {
        if (height > DEEPEST) {
            throw new TokenReader.LimitException("max recursion depth exceeded");
        }
        heights.add(height);
        return heights.size() - 1;
    }

    private int heightOf(List<Expr> exprs) {
        int height = 0;
        for (Expr expr : exprs) {
            height = Math.max(height, height(expr));
        }
        return height;
    }

    /** Stands for what could not be read. */
    Expr missing(int offset) {
        return literal(offset, CelValues.NULL);
    }

    Expr literal(int offset, Object value) {
        return new Expr.Literal(id(0), offset, value);
    }

    Expr ident(int offset, String name) {
        return new Expr.Ident(id(0), offset, name);
    }

    Expr accumulator(int offset) {
        return ident(offset, ACCUMULATOR);
    }

    Expr select(int offset, Expr operand, String field, boolean test) {
        return new Expr.Select(id(height(operand) + 1), offset, operand, field, test);
    }

    Expr call(int offset, String function, @Nullable Expr target, List<Expr> args) {
        int height = Math.max(height(target), heightOf(args)) + 1;
        return new Expr.Call(id(height), offset, function, target, args);
    }

    Expr call(int offset, String function, Expr... args) {
        return call(offset, function, null, List.of(args));
    }

    Expr logic(int offset, String function, List<Expr> terms) {
        return new Expr.Call(id(heightOf(terms)), offset, function, null, terms);
    }

    Expr list(int offset, List<Expr> elements, List<Boolean> optional) {
        return new Expr.ListLiteral(id(heightOf(elements)), offset, elements, optional);
    }

    Expr list(int offset, Expr... elements) {
        return list(offset, List.of(elements), List.of());
    }

    Expr.Entry entry(int offset, Expr key, Expr value, boolean optional) {
        return new Expr.Entry(id(Math.max(height(key), height(value))), offset, key, value, optional);
    }

    Expr map(int offset, List<Expr.Entry> entries) {
        int height = 0;
        for (Expr.Entry entry : entries) {
            height = Math.max(height, heights.get(entry.id()));
        }
        return new Expr.MapLiteral(id(height), offset, entries);
    }

    Expr.Field field(int offset, String name, Expr value, boolean optional) {
        return new Expr.Field(id(height(value)), offset, name, value, optional);
    }

    Expr object(int offset, String typeName, List<Expr.Field> fields) {
        int height = 0;
        for (Expr.Field field : fields) {
            height = Math.max(height, heights.get(field.id()));
        }
        return new Expr.ObjectLiteral(id(height), offset, typeName, fields);
    }

    /** A loop over {@code range}; macros add less depth than their parts, so only the parts count. */
    Expr loop(
            int offset,
            String variable,
            @Nullable String secondVariable,
            Expr range,
            String accumulator,
            Expr initial,
            Expr condition,
            Expr step,
            Expr result) {
        int height = heightOf(List.of(range, initial, condition, step, result));
        return new Expr.Comprehension(
                id(height), offset, variable, secondVariable, range, accumulator, initial, condition, step, result);
    }
}
