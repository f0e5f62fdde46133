/**
 * The whole cluster on one thread, with a clock that moves when told and chance that comes from a seed. Components meet faults that
 * real ones meet once in a year; a run that goes wrong can be repeated.
 */
@NullMarked
package lavaflow.simulation;

import org.jspecify.annotations.NullMarked;
