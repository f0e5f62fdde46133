/**
 * Pure Kubernetes machinery: JSON trees, names, quantities, selectors, patches, server-side apply, types of built-in
 * fields, protobuf decoding.
 *
 * <p>State: none but immutable tables read once. Threading: everything is safe to share unless it says otherwise. No
 * sockets, files, threads or clocks in here.
 */
@NullMarked
package lavaflow.kube;

import org.jspecify.annotations.NullMarked;
