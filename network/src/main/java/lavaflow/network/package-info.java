/**
 * The network of pods: addresses on a bridge, service addresses, names.
 *
 * <p>State: the kernel's. Threading: one change of the rules at a time.
 */
@NullMarked
package lavaflow.network;

import org.jspecify.annotations.NullMarked;
