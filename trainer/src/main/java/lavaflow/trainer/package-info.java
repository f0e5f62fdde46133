/**
 * Kubeflow's Trainer: TrainJobs, the runtimes they name, and the JobSets they become.
 *
 * <p>A TrainJob and its runtime are put together to a JobSet ({@link lavaflow.trainer.TrainJobForm}), a JobSet to {@code batch/v1} Jobs and a service
 * ({@link lavaflow.trainer.ChildForm}). What becomes of either is a function of what was observed ({@link lavaflow.trainer.TrainJobEngine}, {@link
 * lavaflow.trainer.JobSetEngine}); {@link lavaflow.trainer.TrainerControllers} looks and writes. Nothing is kept between two looks.
 */
@NullMarked
package lavaflow.trainer;

import org.jspecify.annotations.NullMarked;
