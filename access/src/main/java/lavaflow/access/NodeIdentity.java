package lavaflow.access;

import org.jspecify.annotations.Nullable;

/** The name of the node a user is. */
public final class NodeIdentity {
    private static final String GROUP = "system:nodes";
    private static final String PREFIX = "system:node:";

    private NodeIdentity() {}

    /** Null where the user is no node. */
    public static @Nullable String of(User user) {
        boolean named = user.name().startsWith(PREFIX) && user.name().length() > PREFIX.length();
        return named && user.inGroup(GROUP) ? user.name().substring(PREFIX.length()) : null;
    }
}
