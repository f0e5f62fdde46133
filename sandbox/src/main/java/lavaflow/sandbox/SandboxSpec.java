package lavaflow.sandbox;

import java.nio.file.Path;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Where the containers of one pod meet.
 *
 * @param id the uid of the pod
 * @param labels kept with it for whoever finds it after a restart: namespace, name and what else the node wants
 * @param hostname what the containers are called; null with the machine's own name
 * @param networkNamespace a namespace made by the network; null with the machine's own network
 * @param quality decides which group of control groups it belongs to
 * @param limits for all its containers together
 * @param sysctls for its own namespaces
 * @param handler which of the node's OCI runtimes makes its containers; empty for the usual one
 */
public record SandboxSpec(
        String id,
        Map<String, String> labels,
        @Nullable String hostname,
        @Nullable Path networkNamespace,
        boolean hostPid,
        boolean hostIpc,
        boolean sharedPid,
        Quality quality,
        Limits limits,
        Map<String, String> sysctls,
        String handler) {
    /** With the usual runtime. */
    public SandboxSpec(
            String id,
            Map<String, String> labels,
            @Nullable String hostname,
            @Nullable Path networkNamespace,
            boolean hostPid,
            boolean hostIpc,
            boolean sharedPid,
            Quality quality,
            Limits limits,
            Map<String, String> sysctls) {
        this(id, labels, hostname, networkNamespace, hostPid, hostIpc, sharedPid, quality, limits, sysctls, "");
    }

    /** Quality of service, as Kubernetes names it. */
    public enum Quality {
        GUARANTEED,
        BURSTABLE,
        BEST_EFFORT
    }
}
