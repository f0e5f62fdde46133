/**
 * Which node runs which pod: the plain scheduler, one pod after the other, by the rules of kube-scheduler.
 *
 * <p>State: {@link lavaflow.placement.ClusterState}, columns of numbers by node, and the {@link
 * lavaflow.scheduler.PodQueue}. Threading: one thread owns both and decides; changes reach it through an inbox, writes
 * leave it on threads of their own. Entry class: {@link lavaflow.scheduler.Scheduler}.
 */
@NullMarked
package lavaflow.scheduler;

import org.jspecify.annotations.NullMarked;
