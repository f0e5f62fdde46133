/**
 * Priority and fairness: every request belongs to a flow of a priority level; a level runs a share of what the server can run
 * and lets the rest wait in queues that flows are dealt to, so that one noisy client cannot starve the others.
 *
 * <p>State: {@link lavaflow.fairness.FlowControl} is replaced as a whole when configuration changes, levels keep their requests.
 * Threading: one lock per level, waiting requests park their own thread.
 */
@NullMarked
package lavaflow.fairness;

import org.jspecify.annotations.NullMarked;
