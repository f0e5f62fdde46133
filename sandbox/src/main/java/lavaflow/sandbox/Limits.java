package lavaflow.sandbox;

/**
 * What a group of processes may use; zero means no limit.
 *
 * @param cpuShares weight among its neighbours, 1024 for a whole processor
 * @param cpuQuotaMicros processor time in a period of 100 ms
 * @param memoryBytes memory, also of files in memory
 * @param pids processes and threads
 */
public record Limits(long cpuShares, long cpuQuotaMicros, long memoryBytes, long pids) {
    public static final Limits NONE = new Limits(0, 0, 0, 0);
}
