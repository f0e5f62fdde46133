package lavaflow.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Gives every live namespace its default service account and the cluster's root certificate, and keeps them there. */
final class NamespaceDefaults {
    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");
    private static final KubeApi.Kind SERVICE_ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    private static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    private static final String ACCOUNT = "default";
    private static final String ROOT_CA = "kube-root-ca.crt";

    private final KubeApi api;
    private final String rootCertificate;

    NamespaceDefaults(KubeApi api, String rootCertificate) {
        this.api = api;
        this.rootCertificate = rootCertificate;
    }

    ControllerRunner<String> controller() {
        return new ControllerRunner<>("namespace-defaults", api, 2, this::reconcile)
                .follow(NAMESPACES, object -> List.of(Objects.name(object)))
                .follow(SERVICE_ACCOUNTS, object -> concerned(object, ACCOUNT))
                .follow(CONFIG_MAPS, object -> concerned(object, ROOT_CA));
    }

    private static List<String> concerned(ObjectNode object, String name) {
        return Objects.name(object).equals(name) ? List.of(Objects.namespace(object)) : List.of();
    }

    private Optional<Duration> reconcile(String namespace) {
        Optional<ObjectNode> found = api.find(NAMESPACES, "", namespace);
        if (found.isEmpty() || Objects.isDeleting(found.get())) {
            return Optional.empty();
        }
        if (api.find(SERVICE_ACCOUNTS, namespace, ACCOUNT).isEmpty()) {
            create(SERVICE_ACCOUNTS, namespace, Objects.named(ACCOUNT));
        }
        Optional<ObjectNode> map = api.find(CONFIG_MAPS, namespace, ROOT_CA);
        if (map.isEmpty()) {
            create(CONFIG_MAPS, namespace, rootCa());
        } else if (!map.get().path("data").equals(rootCa().path("data"))) {
            ObjectNode restored = map.get().deepCopy();
            restored.set("data", rootCa().path("data"));
            restored.remove("binaryData");
            api.update(CONFIG_MAPS, "", restored);
        }
        return Optional.empty();
    }

    private ObjectNode rootCa() {
        ObjectNode map = Objects.named(ROOT_CA);
        Json.ensureObject(map, "metadata", "annotations")
                .put(
                        "kubernetes.io/description",
                        "The certificate authority that signs this cluster's API server; clients in pods trust it.");
        map.putObject("data").put("ca.crt", rootCertificate);
        return map;
    }

    private void create(KubeApi.Kind kind, String namespace, ObjectNode object) {
        try {
            api.create(kind, namespace, object);
        } catch (ApiException e) {
            boolean settled = e.reason().equals("AlreadyExists") || e.code() == 404 || e.code() == 403;
            if (!settled) {
                throw e;
            }
        }
    }
}
