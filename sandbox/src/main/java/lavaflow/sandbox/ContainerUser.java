package lavaflow.sandbox;

import java.util.List;

/**
 * Who a container's first process runs as.
 *
 * @param groups all of them, the first first
 */
public record ContainerUser(long user, long group, List<Long> groups) {}
