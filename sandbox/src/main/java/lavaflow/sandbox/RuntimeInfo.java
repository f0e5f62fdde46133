package lavaflow.sandbox;

import java.util.List;

/**
 * What runs containers here.
 *
 * @param name as in the ids of containers: {@code runc}, {@code plain}
 * @param isolated whether containers have namespaces of their own
 * @param limited whether limits are enforced
 * @param recursiveReadOnly whether a mount can be read-only with all that is mounted below it
 * @param notices what is not isolated, one sentence each
 */
public record RuntimeInfo(
        String name,
        String version,
        boolean isolated,
        boolean limited,
        boolean recursiveReadOnly,
        List<String> notices) {}
