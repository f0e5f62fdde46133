/**
 * Kubeflow's training jobs: one engine for all kinds, one small adapter for each framework, and MPI's two versions beside it.
 *
 * <p>What is made and what becomes of a job are functions of what was observed ({@link lavaflow.training.Engine}); {@link
 * lavaflow.training.TrainingControllers} looks and writes. Nothing but memory of what was told is kept between two looks. Kinds that are not
 * served cost nothing.
 */
@NullMarked
package lavaflow.training;

import org.jspecify.annotations.NullMarked;
