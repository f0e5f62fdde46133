package lavaflow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** Which cluster a command is about that works with any. */
final class WhichCluster {
    private WhichCluster() {}

    /**
     * The kubeconfig that is given; else {@code $KUBECONFIG}; else that of the local cluster, if it runs; else what is usual, which is
     * null: clients find it by themselves.
     */
    static @Nullable Path kubeconfig(@Nullable String given, Map<String, String> environment, Home local)
            throws IOException {
        if (given != null) {
            return Path.of(given);
        }
        boolean said = !environment.getOrDefault("KUBECONFIG", "").isEmpty();
        return !said && local.running().isPresent() ? local.kubeconfig() : null;
    }
}
