package lavaflow.cel;

/** How much one evaluation may cost. When it costs more it ends with {@value #EXCEEDED}. Not safe to share between threads. */
public final class CelBudget {
    public static final String EXCEEDED = "operation cancelled: actual cost limit exceeded";

    private final long limit;
    private long used;

    public CelBudget(long limit) {
        this.limit = limit;
    }

    public static CelBudget unlimited() {
        return new CelBudget(Long.MAX_VALUE);
    }

    public long limit() {
        return limit;
    }

    /** What evaluations under this budget have cost until now. */
    public long used() {
        return used;
    }

    void charge(long cost) {
        used += cost;
    }
}
