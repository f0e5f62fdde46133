package lavaflow.cel;

/** A checked expression, ready to be evaluated any number of times by any number of threads. */
public final class CelProgram {
    private final String source;
    private final CelType resultType;

    CelProgram(String source, CelType resultType) {
        this.source = source;
        this.resultType = resultType;
    }

    public String source() {
        return source;
    }

    public CelType resultType() {
        return resultType;
    }

    /** Whether the expression reads this variable ({@code oldSelf} makes a rule a transition rule). */
    public boolean reads(String variable) {
        return source.contains(variable);
    }

    /** What one evaluation may cost, given the sizes that declared types of variables allow. */
    public CostEstimate estimatedCost() {
        return new CostEstimate(0, Long.MAX_VALUE);
    }

    /** Never throws: what goes wrong is in the result. */
    public CelResult evaluate(Bindings bindings, CelBudget budget) {
        return new CelResult.Failure("not yet", false, 0);
    }
}
