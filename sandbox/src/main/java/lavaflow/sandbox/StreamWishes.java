package lavaflow.sandbox;

/** Which streams somebody wants of a process; with a terminal errors come with the output. */
public record StreamWishes(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}
