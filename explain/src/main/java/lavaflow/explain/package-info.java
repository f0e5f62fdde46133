/**
 * Why gangs wait, and what would free them.
 *
 * <p>Pure: a {@link lavaflow.gang.Snapshot} goes in, an {@link lavaflow.explain.Explanation} comes out. Reasons are asked of the same plugins that
 * decide; what would help is tried on copies with the same core, and told only if it did. Entry class: {@link lavaflow.explain.Explainer}.
 */
@NullMarked
package lavaflow.explain;

import org.jspecify.annotations.NullMarked;
