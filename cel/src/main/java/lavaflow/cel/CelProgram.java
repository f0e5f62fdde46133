package lavaflow.cel;

import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A checked expression, ready to be evaluated any number of times by any number of threads. */
public final class CelProgram {
    /** A variable the expression reads. */
    record Variable(String name, @Nullable DeclaredType declared, boolean optional) {
        Object view(JsonNode json) {
            if (declared == null) {
                return JsonViews.of(json);
            }
            return optional ? CelOptional.of(declared.view(json)) : declared.view(json);
        }
    }

    private final String source;
    private final CheckedExpr checked;
    private final Node root;
    private final Variable[] variables;
    private final int slots;
    private final Set<String> names;
    private final Map<String, DeclaredType> declared;

    CelProgram(
            String source,
            CheckedExpr checked,
            Node root,
            List<Variable> variables,
            int slots,
            Set<String> names,
            Map<String, DeclaredType> declared) {
        this.source = source;
        this.checked = checked;
        this.root = root;
        this.variables = variables.toArray(Variable[]::new);
        this.slots = slots;
        this.names = names;
        this.declared = declared;
    }

    public String source() {
        return source;
    }

    public CelType resultType() {
        return checked.type(checked.root());
    }

    /** Whether the expression reads this variable ({@code oldSelf} makes a rule a transition rule). */
    public boolean reads(String variable) {
        return names.contains(variable);
    }

    /** What one evaluation may cost, given the sizes that declared types of variables allow. */
    public CostEstimate estimatedCost() {
        return CostEstimator.estimate(checked, declared);
    }

    /** Never throws: what goes wrong is in the result. */
    public CelResult evaluate(Bindings bindings, CelBudget budget) {
        Frame frame = new Frame(variables, slots, bindings, budget.limit() - budget.used());
        try {
            Object value = root.eval(frame);
            return new CelResult.Value(value, frame.cost());
        } catch (CelException failure) {
            return new CelResult.Failure(failure.text(), false, frame.cost());
        } catch (Frame.Exceeded exceeded) {
            return new CelResult.Failure(CelBudget.EXCEEDED, true, frame.cost());
        } catch (StackOverflowError tooDeep) {
            return new CelResult.Failure("value is nested too deeply", false, frame.cost());
        } finally {
            budget.charge(frame.cost());
        }
    }
}
