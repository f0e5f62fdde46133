/**
 * The program: roles, their configuration, and the {@code lava} command that starts them.
 *
 * <p>A role is a class that starts and stops components; nothing else knows about roles. Entry class: {@link
 * lavaflow.Lava}.
 */
@NullMarked
package lavaflow;

import org.jspecify.annotations.NullMarked;
