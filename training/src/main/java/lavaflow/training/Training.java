package lavaflow.training;

import java.util.Locale;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The words of Kubeflow's API that more than one class here needs. */
final class Training {
    static final String GROUP = "kubeflow.org";
    static final String API_VERSION = GROUP + "/v1";

    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind SERVICE_ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    static final KubeApi.Kind ROLES = new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "roles", true);
    static final KubeApi.Kind BINDINGS = new KubeApi.Kind("rbac.authorization.k8s.io", "v1", "rolebindings", true);
    static final KubeApi.Kind BATCH_JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    static final KubeApi.Kind AUTOSCALERS = new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true);
    static final KubeApi.Kind PRIORITIES = new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);

    static final String OPERATOR_NAME = "training.kubeflow.org/operator-name";
    static final String JOB_NAME = "training.kubeflow.org/job-name";
    static final String REPLICA_TYPE = "training.kubeflow.org/replica-type";
    static final String REPLICA_INDEX = "training.kubeflow.org/replica-index";
    static final String JOB_ROLE = "training.kubeflow.org/job-role";

    /** Which pods of a job with a backoff limit were replaced: the limit counts them, each once. */
    static final String REPLACED = "training.lavaflow/replaced-pods";

    private Training() {}

    static String name(JsonNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String namespace(JsonNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    static String uid(JsonNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    /** Replica types in names, labels and clusters. */
    static String lower(String type) {
        return type.toLowerCase(Locale.ROOT);
    }

    /** Says that an object is a job's, and goes with it. */
    static void own(ObjectNode metadata, ObjectNode job) {
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", Json.textAt(job, "apiVersion"))
                .put("kind", Json.textAt(job, "kind"))
                .put("name", name(job))
                .put("uid", uid(job))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    /** An object of a job with a type, a name and an owner. */
    static ObjectNode owned(ObjectNode job, String apiVersion, String kind, String name) {
        ObjectNode object = Json.object();
        object.put("apiVersion", apiVersion).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", name).put("namespace", namespace(job));
        own(metadata, job);
        return object;
    }

    /** The uid of whoever controls an object, empty if nobody does. */
    static String controllerUid(JsonNode object) {
        JsonNode controller = controller(object);
        return controller == null ? "" : Json.textAt(controller, "uid");
    }

    static @Nullable JsonNode controller(JsonNode object) {
        for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")) {
                return owner;
            }
        }
        return null;
    }

    /** Adds a variable; of two with one name the last one counts. */
    static void env(ObjectNode container, String name, String value) {
        ObjectNode variable = list(container, "env").addObject();
        variable.put("name", name);
        // Empty values are left out on the wire.
        if (!value.isEmpty()) {
            variable.put("value", value);
        }
    }

    static ArrayNode list(ObjectNode object, String field) {
        JsonNode list = object.get(field);
        return list instanceof ArrayNode found ? found : object.putArray(field);
    }
}
