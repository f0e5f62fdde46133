/**
 * The controller runtime: how controllers see the API, hear of changes and get their turns.
 *
 * <p>State: a {@link lavaflow.controller.WorkQueue} and the followers of one controller. Threading: one reconcile at a
 * time per key, on virtual threads; followers hand keys to the queue and do nothing else. Entry class: {@link
 * lavaflow.controller.ControllerRunner}.
 */
@NullMarked
package lavaflow.controller;

import org.jspecify.annotations.NullMarked;
