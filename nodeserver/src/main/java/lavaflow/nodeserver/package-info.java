/**
 * The HTTP face of a node: logs, exec, attach, port-forward, figures, as kubelets serve them to API servers.
 *
 * <p>State: open streams. Threading: a virtual thread a connection.
 */
@NullMarked
package lavaflow.nodeserver;

import org.jspecify.annotations.NullMarked;
