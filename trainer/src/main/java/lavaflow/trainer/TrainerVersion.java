package lavaflow.trainer;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Says which Trainer this is where Kubeflow's SDK looks for it: in a ConfigMap that whoever is logged in may read. */
public final class TrainerVersion {
    /** The release whose kinds and behaviour are served. */
    private static final String VERSION = "v2.3.0";

    private static final String NAMESPACE = "kubeflow-system";
    private static final String NAME = "kubeflow-trainer-public";
    private static final String RIGHTS = "rbac.authorization.k8s.io";
    private static final KubeApi.Kind ROLES = new KubeApi.Kind(RIGHTS, "v1", "roles", true);
    private static final KubeApi.Kind BINDINGS = new KubeApi.Kind(RIGHTS, "v1", "rolebindings", true);

    private TrainerVersion() {}

    /** Makes what is missing; what somebody else put there stays. */
    public static void ensure(KubeApi api) {
        ObjectNode namespace = Json.object();
        namespace.putObject("metadata").put("name", NAMESPACE);
        ensure(api, KubeApi.Kind.clusterWide("namespaces"), NAMESPACE, namespace);
        ObjectNode version = named();
        version.putObject("data").put("kubeflow_trainer_version", VERSION);
        ensure(api, KubeApi.Kind.core("configmaps"), NAME, version);
        ensure(api, ROLES, NAME, role());
        ensure(api, BINDINGS, NAME, binding());
    }

    private static ObjectNode named() {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", NAME).put("namespace", NAMESPACE);
        return object;
    }

    private static ObjectNode role() {
        ObjectNode role = named();
        ObjectNode rule = role.putArray("rules").addObject();
        rule.putArray("apiGroups").add("");
        rule.putArray("resources").add("configmaps");
        rule.putArray("resourceNames").add(NAME);
        rule.putArray("verbs").add("get");
        return role;
    }

    private static ObjectNode binding() {
        ObjectNode binding = named();
        binding.putObject("roleRef").put("apiGroup", RIGHTS).put("kind", "Role").put("name", NAME);
        binding.putArray("subjects")
                .addObject()
                .put("apiGroup", RIGHTS)
                .put("kind", "Group")
                .put("name", "system:authenticated");
        return binding;
    }

    private static void ensure(KubeApi api, KubeApi.Kind kind, String name, ObjectNode object) {
        String namespace = kind.namespaced() ? NAMESPACE : "";
        if (api.find(kind, namespace, name).isPresent()) {
            return;
        }
        try {
            api.create(kind, namespace, object);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
            // Another one was quicker.
        }
    }
}
