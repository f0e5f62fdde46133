package lavaflow.admission;

import java.util.HashMap;
import java.util.Map;

import lavaflow.cel.CelBudget;
import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelException;
import lavaflow.cel.CelLimits;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelResult;
import lavaflow.cel.CelType;
import lavaflow.cel.CelValues;

/** Evaluates expressions about one occasion, under one budget for all of them. Used by one thread. */
final class Evaluation {
    /** What came of an expression. */
    sealed interface Outcome {
        record Value(Object value) implements Outcome {}

        /** The message is upstream's; {@code exhausted} means the budget is gone and nothing more can be evaluated. */
        record Failure(String message, boolean exhausted) implements Outcome {}
    }

    private static final String EXHAUSTED =
            "validation failed due to running out of cost budget, no further validation rules will be run";

    private final Map<String, Object> bindings = new HashMap<>();
    private long remaining;

    Evaluation(Map<String, Object> bindings, long budget) {
        this.bindings.putAll(bindings);
        this.remaining = budget;
    }

    void bind(String name, Object value) {
        bindings.put(name, value);
    }

    /** Gives {@code variables} a meaning: each is evaluated when it is first read, and then remembered. */
    void compose(CelType.ObjectOf type, Map<String, Expression> variables) {
        Map<String, Object> known = new HashMap<>();
        bind("variables", CelValues.lazyObject(type, name -> {
            Object value = known.get(name);
            Expression expression = variables.get(name);
            if (value == null && expression != null) {
                value = variable(name, expression);
                known.put(name, value);
            }
            return value;
        }));
    }

    private Object variable(String name, Expression expression) {
        if (!(expression.compiled() instanceof CelCompilation.Compiled(CelProgram program))) {
            throw new CelException("composited variable \"" + name + "\" fails to evaluate: it does not compile");
        }
        CelResult result = program.evaluate(bindings::get, new CelBudget(CelLimits.RUNTIME_PER_CALL));
        remaining -= result.cost();
        return switch (result) {
            case CelResult.Value value -> value.value();
            case CelResult.Failure failure ->
                throw new CelException("composited variable \"" + name + "\" fails to evaluate: " + failure.message());
        };
    }

    Outcome evaluate(Expression expression) {
        return switch (expression.compiled()) {
            case CelCompilation.Failed failed -> new Outcome.Failure("compilation error: " + failed.text(), false);
            case CelCompilation.Compiled(CelProgram program) -> evaluate(program);
        };
    }

    private Outcome evaluate(CelProgram program) {
        if (remaining < 0) {
            return new Outcome.Failure(EXHAUSTED, true);
        }
        CelResult result = program.evaluate(bindings::get, new CelBudget(CelLimits.RUNTIME_PER_CALL));
        remaining -= result.cost();
        if (remaining < 0) {
            return new Outcome.Failure(EXHAUSTED, true);
        }
        return switch (result) {
            case CelResult.Value value -> new Outcome.Value(value.value());
            case CelResult.Failure failure ->
                new Outcome.Failure(
                        "expression '" + program.source() + "' resulted in error: " + failure.message(), false);
        };
    }
}
