/**
 * Which nodes can take a pod, which would be best, and why not the others: kube-scheduler's filters and scores.
 *
 * <p>State: {@link lavaflow.placement.ClusterState}, columns of numbers by node; pods that cannot be told apart are one {@link
 * lavaflow.placement.PodClass}. Pure: no clock, no thread, no I/O; belongs to the one thread that decides. Entry class: {@link
 * lavaflow.placement.Attempt}.
 */
@NullMarked
package lavaflow.placement;

import org.jspecify.annotations.NullMarked;
