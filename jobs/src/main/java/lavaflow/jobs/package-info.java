/**
 * Volcano's Job: a gang of tasks that begins together, restarts as its policies say, and ends as a whole.
 *
 * <p>What a Job means is decided by functions of values: its life, what is made for it, what its plugins add, by which rules it
 * is accepted. The controller at the edge observes and carries out; its state is derived from the API and rebuilt at start.
 * Threading: the runtime's, one turn at a time for each Job. Entry class: {@link lavaflow.jobs.JobControllers}; of plugins {@link
 * lavaflow.jobs.JobPlugins}.
 */
@NullMarked
package lavaflow.jobs;

import org.jspecify.annotations.NullMarked;
