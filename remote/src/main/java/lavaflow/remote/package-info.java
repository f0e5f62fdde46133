/**
 * The Kubernetes API over HTTP, for roles that run beside any API server: ours or another.
 *
 * <p>State: one connection with its credentials, the kinds the server has, and how far each watch got. Threading: callers
 * block, on virtual threads; watches need none of their own. The client library behind it lends kubeconfigs, credentials
 * and transport, and is loaded by nobody else. Entry class: {@link lavaflow.remote.RemoteKubeApi}.
 */
@NullMarked
package lavaflow.remote;

import org.jspecify.annotations.NullMarked;
