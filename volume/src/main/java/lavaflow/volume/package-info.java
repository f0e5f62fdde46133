/**
 * Volumes: directories and files that pods mount, made from the objects of the API.
 *
 * <p>State: a directory for each pod. Threading: one change at a time for each pod.
 */
@NullMarked
package lavaflow.volume;

import org.jspecify.annotations.NullMarked;
