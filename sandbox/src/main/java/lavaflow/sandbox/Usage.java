package lavaflow.sandbox;

/** What something has used: processor time in all, memory now (also without what can be given back), processes. */
public record Usage(long cpuNanos, long memoryBytes, long workingSetBytes, long rssBytes, long pids) {}
