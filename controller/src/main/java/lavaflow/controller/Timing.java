package lavaflow.controller;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * How components tell time and do many things at once: as the machine does, or exactly as a test or simulation says.
 *
 * @param nanoTime never goes back; for delays
 */
public record Timing(InstantSource clock, LongSupplier nanoTime, Fanout fanout) {}
