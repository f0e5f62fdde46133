package lavaflow.cel;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The state of one evaluation: variables, loop variables, and what it has cost. */
final class Frame {
    /** The evaluation has cost more than it may. Nothing in the expression can catch it. */
    static final class Exceeded extends RuntimeException {
        private Exceeded() {
            super(CelBudget.EXCEEDED, null, false, false);
        }
    }

    private final CelProgram.Variable[] variables;
    private final @Nullable Object[] values;
    private final Bindings bindings;
    private final long limit;
    final @Nullable Object[] slots;
    private long cost;

    Frame(CelProgram.Variable[] variables, int slots, Bindings bindings, long limit) {
        this.variables = variables;
        this.values = new Object[variables.length];
        this.slots = new Object[slots];
        this.bindings = bindings;
        this.limit = limit;
    }

    long cost() {
        return cost;
    }

    void charge(long amount) {
        cost += amount;
        if (cost > limit || cost < 0) {
            throw new Exceeded();
        }
    }

    Object variable(int index) {
        Object value = values[index];
        if (value == null) {
            value = bound(variables[index]);
            values[index] = value;
        }
        return value;
    }

    private Object bound(CelProgram.Variable variable) {
        Object given = bindings.find(variable.name());
        if (given == null) {
            throw new CelException("no such attribute(s): " + variable.name());
        }
        if (given instanceof JsonNode json) {
            return variable.view(json);
        }
        return given;
    }
}
