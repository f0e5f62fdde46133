/**
 * Containers on this machine: roots, namespaces, limits, programs, their logs and ends.
 *
 * <p>Knows nothing of pods or of the API. State: a directory, from which a new process finds what an earlier one has started.
 */
@NullMarked
package lavaflow.sandbox;

import org.jspecify.annotations.NullMarked;
