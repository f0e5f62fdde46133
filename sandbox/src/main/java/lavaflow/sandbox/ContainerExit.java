package lavaflow.sandbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How a container ended.
 *
 * @param code of its program, 128 and the signal where one ended it; 128 for a program that could not be executed
 * @param outOfMemory whether the kernel killed it for want of memory
 * @param problem why it never ran or why its end is not known; null for a program that ran and ended
 */
public record ContainerExit(
        String container,
        int code,
        boolean outOfMemory,
        Instant at,
        @Nullable String problem) {
    public ContainerExit(String container, int code, boolean outOfMemory, Instant at) {
        this(container, code, outOfMemory, at, null);
    }
}
