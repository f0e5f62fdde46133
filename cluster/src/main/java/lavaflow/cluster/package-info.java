/**
 * The controllers without which an API server hangs its clients: namespaces, service accounts, garbage collection,
 * quota.
 *
 * <p>State: derived from the API and rebuilt at start. Threading: the runtime's. Each controller decides in a pure
 * function and acts through {@link lavaflow.controller.KubeApi}. Entry class: {@link lavaflow.cluster.CoreControllers}.
 */
@NullMarked
package lavaflow.cluster;

import org.jspecify.annotations.NullMarked;
