/**
 * What decides between gangs, queues and nodes: Volcano's plugins, each by its name and with its arguments.
 *
 * <p>Pure, and each a class of its own that knows none of the others. Entry class: {@link lavaflow.plugins.Plugins}.
 */
@NullMarked
package lavaflow.plugins;

import org.jspecify.annotations.NullMarked;
