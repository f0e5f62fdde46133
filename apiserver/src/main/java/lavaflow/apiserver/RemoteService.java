package lavaflow.apiserver;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** An APIService that another server answers for. */
record RemoteService(
        String name,
        String group,
        String version,
        String serviceNamespace,
        String serviceName,
        int port,
        String caBundle,
        boolean insecure,
        long groupPriority,
        long versionPriority,
        boolean available) {

    /** Null where this server answers itself. */
    static @Nullable RemoteService of(ObjectNode object) {
        if (Json.at(object, "spec", "service") == null) {
            return null;
        }
        boolean available = false;
        for (var condition : Json.listAt(object, "status", "conditions")) {
            available |= Json.textAt(condition, "type").equals("Available")
                    && Json.textAt(condition, "status").equals("True");
        }
        return new RemoteService(
                Metadata.name(object),
                Json.textAt(object, "spec", "group"),
                Json.textAt(object, "spec", "version"),
                Json.textAt(object, "spec", "service", "namespace"),
                Json.textAt(object, "spec", "service", "name"),
                (int) Json.longAt(object, 443, "spec", "service", "port"),
                Json.textAt(object, "spec", "caBundle"),
                Json.flagAt(object, "spec", "insecureSkipTLSVerify"),
                Json.longAt(object, 0, "spec", "groupPriorityMinimum"),
                Json.longAt(object, 0, "spec", "versionPriority"),
                available);
    }

    /** Whether this server answers itself after all, without an object for it. */
    boolean isOwn() {
        return serviceName.isEmpty();
    }

    String path() {
        return "/apis/" + group + "/" + version;
    }

    /** The name its certificate must be for. */
    String serverName() {
        return serviceName + "." + serviceNamespace + ".svc";
    }
}
