package lavaflow.sandbox;

/** How a command ended; the code is -1 when its time was up. */
public record CommandResult(int code, String output, boolean timedOut) {}
