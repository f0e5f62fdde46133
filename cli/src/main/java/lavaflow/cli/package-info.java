/**
 * The faces of commands about jobs that do not depend on the rest of the program: Volcano's own commands ({@code vcctl}, {@code vsub} and
 * their kin) with upstream's flags, columns and messages, and what it takes to follow the pods of a gang. {@link
 * lavaflow.cli.VolcanoCli} is where the former begin. No state but that of one command; whoever calls gives the API, the time and where to
 * print.
 */
@NullMarked
package lavaflow.cli;

import org.jspecify.annotations.NullMarked;
