/**
 * The revisioned object store: what an API server needs of etcd, inside one process.
 *
 * <p>State: an in-memory index of versions per key over an append-only log with snapshots on disk. Threading: one writer
 * thread owns every mutation; readers never lock and never see what is not yet committed. Entry class: {@link
 * lavaflow.store.Store}.
 *
 * <p>The log is our own rather than an embedded database because everything a database would add (an index, queries,
 * page cache) already exists in memory: a log needs one write and one fsync per batch, no native library to unpack at
 * start, and no second copy of the data. DESIGN.md beside this module describes the files.
 */
@NullMarked
package lavaflow.store;

import org.jspecify.annotations.NullMarked;
