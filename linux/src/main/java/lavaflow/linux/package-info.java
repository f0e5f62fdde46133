/**
 * System calls of Linux through the foreign function interface, and programs run as child processes.
 *
 * <p>State: none. Threading: calls block their thread; those that change a thread (such as entering a namespace) run on a
 * platform thread of their own.
 */
@NullMarked
package lavaflow.linux;

import org.jspecify.annotations.NullMarked;
