/**
 * Images: references, the table that decides where one comes from, registries, archives, layers, recipes, and the store of what
 * was unpacked.
 *
 * <p>State: a directory. Threading: one pull per image at a time.
 */
@NullMarked
package lavaflow.image;

import org.jspecify.annotations.NullMarked;
