/**
 * The revisioned object store: what an API server needs of etcd, inside one process.
 *
 * <p>State: an in-memory index of versions per key over an append-only log on disk. Threading: one writer thread owns
 * every mutation; readers never lock and never see what is not yet durable. Entry class: {@code Store}.
 */
@NullMarked
package lavaflow.store;

import org.jspecify.annotations.NullMarked;
