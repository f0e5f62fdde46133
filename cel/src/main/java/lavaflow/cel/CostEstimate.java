package lavaflow.cel;

/** What an evaluation costs at least and at most; both saturate at {@link Long#MAX_VALUE}. */
public record CostEstimate(long min, long max) {}
