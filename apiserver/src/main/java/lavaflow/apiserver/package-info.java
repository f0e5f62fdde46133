/**
 * The HTTP front of the store: a Kubernetes API server.
 *
 * <p>State lives in the {@code store}; this module keeps only derived tables. Threading: one virtual thread per request
 * or watch. Entry class: {@link lavaflow.apiserver.ApiServer}.
 */
@NullMarked
package lavaflow.apiserver;

import org.jspecify.annotations.NullMarked;
