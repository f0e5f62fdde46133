/**
 * Which jobs run: queues, their shares, and gangs that are placed whole or not at all, by the rules and the configuration file of
 * Volcano.
 *
 * <p>Pure: what happens comes in as values, what is to be done comes out; no clock, no thread, no I/O.
 */
@NullMarked
package lavaflow.gang;

import org.jspecify.annotations.NullMarked;
