/**
 * The node that runs pods: what becomes of a pod is decided by functions of values, and done by sandbox, image, network and volume.
 *
 * <p>State: what runs, as the sandbox tells. Threading: one turn at a time for each pod.
 */
@NullMarked
package lavaflow.kubelet;

import org.jspecify.annotations.NullMarked;
