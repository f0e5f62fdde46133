/**
 * The Kubernetes API over HTTP, for roles that run beside any API server: ours or another.
 *
 * <p>State: one connection with its credentials, the kinds the server has, and how far each watch got. Threading: callers
 * block, on virtual threads; watches need none of their own. Kubeconfigs and credentials are read here and the transport is Java's own, so that
 * a command begins in a fraction of a second. Entry class: {@link lavaflow.remote.RemoteKubeApi}.
 */
@NullMarked
package lavaflow.remote;

import org.jspecify.annotations.NullMarked;
