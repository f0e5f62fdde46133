package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Gives every live namespace its default service account and the cluster's root certificate, and keeps them there. */
final class NamespaceDefaults {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind SERVICE_ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    private static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    private static final String ACCOUNT = "default";
    private static final String ROOT_CA = "kube-root-ca.crt";
    private static final String DESCRIPTION = "kubernetes.io/description";

    private final KubeApi api;
    private final boolean accounts;
    private final @Nullable String rootCertificate;
    private final ControllerRunner<String> runner;

    /**
     * @param accounts whether to make accounts
     * @param rootCertificate what to publish; null for nothing
     */
    NamespaceDefaults(
            KubeApi api,
            Followers followers,
            boolean accounts,
            @Nullable String rootCertificate,
            LongSupplier nanoTime) {
        this.api = api;
        this.accounts = accounts;
        this.rootCertificate = rootCertificate;
        this.runner = new ControllerRunner<>("namespace-defaults", followers, 2, this::reconcile, nanoTime)
                .follow(NAMESPACES, object -> List.of(Objects.name(object)))
                .follow(SERVICE_ACCOUNTS, object -> concerned(object, ACCOUNT))
                .follow(CONFIG_MAPS, object -> concerned(object, ROOT_CA));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private static List<String> concerned(ObjectNode object, String name) {
        return Objects.name(object).equals(name) ? List.of(Objects.namespace(object)) : List.of();
    }

    private Optional<Duration> reconcile(String namespace) {
        Optional<ObjectNode> found = api.find(NAMESPACES, "", namespace);
        if (found.isEmpty() || Objects.isDeleting(found.get())) {
            return Optional.empty();
        }
        if (accounts && api.find(SERVICE_ACCOUNTS, namespace, ACCOUNT).isEmpty()) {
            create(SERVICE_ACCOUNTS, namespace, Objects.named(ACCOUNT));
        }
        if (rootCertificate != null) {
            publish(namespace, rootCertificate);
        }
        return Optional.empty();
    }

    private void publish(String namespace, String certificate) {
        Optional<ObjectNode> map = api.find(CONFIG_MAPS, namespace, ROOT_CA);
        if (map.isEmpty()) {
            create(CONFIG_MAPS, namespace, completed(Objects.named(ROOT_CA), certificate));
        } else {
            ObjectNode wanted = completed(map.get().deepCopy(), certificate);
            if (!wanted.equals(map.get())) {
                api.update(CONFIG_MAPS, "", wanted);
            }
        }
    }

    /** The map with what must be in it: the data is ours alone, a description anyone may reword. */
    private static ObjectNode completed(ObjectNode map, String certificate) {
        if (Json.textAt(map, "metadata", "annotations", DESCRIPTION).isEmpty()) {
            Json.ensureObject(map, "metadata", "annotations")
                    .put(
                            DESCRIPTION,
                            "The certificate authority that signs this cluster's API server; clients in pods trust it.");
        }
        ObjectNode data = Json.object().put("ca.crt", certificate);
        if (!data.equals(Json.at(map, "data"))) {
            map.set("data", data);
        }
        return map;
    }

    private void create(KubeApi.Kind kind, String namespace, ObjectNode object) {
        try {
            api.create(kind, namespace, object);
        } catch (ApiException e) {
            // Others may have made it, or the namespace may be going; everything else is worth another try.
            boolean settled =
                    e.reason().equals("AlreadyExists") || e.code() == 404 || Refusals.isNamespaceTerminating(e);
            if (!settled) {
                throw e;
            }
        }
    }
}
