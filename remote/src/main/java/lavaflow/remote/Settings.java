package lavaflow.remote;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * How to reach an API server.
 *
 * @param kubeconfig null for what clients usually find: $KUBECONFIG, ~/.kube/config, or the service account of the pod
 * @param context which of its contexts; null for the current one
 * @param server the address to use instead of the one it names; null for that
 * @param userAgent who asks, for the server's logs and for the owners of fields
 * @param perSecond how many requests a second at most, in the long run
 * @param burst how many of them at once after a quiet time
 */
public record Settings(
        @Nullable Path kubeconfig,
        @Nullable String context,
        @Nullable String server,
        String userAgent,
        double perSecond,
        int burst) {
    /** How many requests may be under way; a connection of HTTP/2 carries at least a hundred with any server. */
    static final int UNDER_WAY = 64;

    public Settings(
            @Nullable Path kubeconfig, @Nullable String context, String userAgent, double perSecond, int burst) {
        this(kubeconfig, context, null, userAgent, perSecond, burst);
    }

    /** The same at another address. */
    public Settings at(String address) {
        return new Settings(kubeconfig, context, address, userAgent, perSecond, burst);
    }

    /** The same with another context of the kubeconfig; null for the current one. */
    public Settings in(@Nullable String name) {
        return new Settings(kubeconfig, name, server, userAgent, perSecond, burst);
    }

    /** Enough for all controllers together; upstream gives each of its thirty a client with 20 a second. */
    public static Settings of(@Nullable Path kubeconfig, String userAgent) {
        return new Settings(kubeconfig, null, userAgent, 500, 1000);
    }
}
