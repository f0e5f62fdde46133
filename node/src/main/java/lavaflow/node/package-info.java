/**
 * Simulated nodes: they look like kubelets and play their part for pods, without running anything.
 *
 * <p>State: {@link lavaflow.node.SimNodes}, what each node has admitted and how far its pods are. Threading: one turn at a
 * time per pod and per node, on virtual threads; one thread beats for all nodes. What becomes of a pod is decided in {@link
 * lavaflow.node.PodSimulation}, a function of values. Entry class: {@link lavaflow.node.SimNodes}.
 */
@NullMarked
package lavaflow.node;

import org.jspecify.annotations.NullMarked;
