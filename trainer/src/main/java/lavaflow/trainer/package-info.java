/** Kubeflow's Trainer: TrainJobs, the runtimes they name, and the JobSets they become. */
@NullMarked
package lavaflow.trainer;

import org.jspecify.annotations.NullMarked;
