package lavaflow.cel;

/** Kubernetes' limits, in units of cost. */
public final class CelLimits {
    /** What one rule of a custom resource may be estimated to cost. */
    public static final long STATIC_RULE_COST = 10_000_000;
    /** What all rules of a custom resource definition together may be estimated to cost. */
    public static final long STATIC_DEFINITION_COST = 100_000_000;
    /** What one evaluation may cost. */
    public static final long RUNTIME_PER_CALL = 1_000_000;
    /** What all evaluations for one object, or one policy, may cost. */
    public static final long RUNTIME_BUDGET = 10_000_000;
    /** What all match conditions of one webhook or policy may cost. */
    public static final long RUNTIME_MATCH_CONDITIONS = 2_500_000;
    /** The size of the largest request that estimates reckon with. */
    public static final long MAX_REQUEST_BYTES = 3 * 1024 * 1024;

    private CelLimits() {}
}
