package lavaflow.trainer;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The words of the Trainer's API, and of JobSet's, that more than one class here needs. */
final class Trainer {
    static final String GROUP = "trainer.kubeflow.org";
    static final String API_VERSION = GROUP + "/v1alpha1";
    static final String JOB_SET_VERSION = "jobset.x-k8s.io/v1alpha2";

    static final KubeApi.Kind TRAIN_JOBS = new KubeApi.Kind(GROUP, "v1alpha1", "trainjobs", true);
    static final KubeApi.Kind RUNTIMES = new KubeApi.Kind(GROUP, "v1alpha1", "trainingruntimes", true);
    static final KubeApi.Kind CLUSTER_RUNTIMES = new KubeApi.Kind(GROUP, "v1alpha1", "clustertrainingruntimes", false);
    static final KubeApi.Kind JOB_SETS = new KubeApi.Kind("jobset.x-k8s.io", "v1alpha2", "jobsets", true);
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch", "v1", "jobs", true);
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind CLAIMS = KubeApi.Kind.core("persistentvolumeclaims");
    static final KubeApi.Kind CONFIG_MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    static final KubeApi.Kind PRIORITIES = new KubeApi.Kind("scheduling.k8s.io", "v1", "priorityclasses", false);

    /** Which part of a TrainJob a replicated Job is. */
    static final String ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step";

    static final String TRAINER = "trainer";
    static final String NODE = "node";
    static final String LAUNCHER = "launcher";
    static final String DATASET = "dataset-initializer";
    static final String MODEL = "model-initializer";

    /** Where the pods of a job meet. */
    static final int PORT = 29500;

    /** Where pods find which of them they are. */
    static final String INDEX_FIELD = "metadata.annotations['batch.kubernetes.io/job-completion-index']";

    private Trainer() {}

    static String name(JsonNode object) {
        return Json.textAt(object, "metadata", "name");
    }

    static String namespace(JsonNode object) {
        return Json.textAt(object, "metadata", "namespace");
    }

    static String uid(JsonNode object) {
        return Json.textAt(object, "metadata", "uid");
    }

    static boolean isDeleting(JsonNode object) {
        return Json.at(object, "metadata", "deletionTimestamp") != null;
    }

    /** An object that belongs to another one, and goes with it. */
    static ObjectNode owned(ObjectNode owner, String apiVersion, String kind, String name) {
        ObjectNode object = Json.object();
        object.put("apiVersion", apiVersion).put("kind", kind);
        ObjectNode metadata = object.putObject("metadata");
        metadata.put("name", name).put("namespace", namespace(owner));
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", Json.textAt(owner, "apiVersion"))
                .put("kind", Json.textAt(owner, "kind"))
                .put("name", name(owner))
                .put("uid", uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
        return object;
    }

    /** Whoever controls an object; null if nobody does. */
    static @Nullable JsonNode controller(JsonNode object) {
        for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")) {
                return owner;
            }
        }
        return null;
    }

    static boolean isControlledBy(JsonNode object, ObjectNode owner) {
        JsonNode controller = controller(object);
        return controller != null && Json.textAt(controller, "uid").equals(uid(owner));
    }

    static List<ObjectNode> objects(@Nullable JsonNode list) {
        List<ObjectNode> objects = new ArrayList<>();
        if (list != null) {
            list.forEach(each -> {
                if (each instanceof ObjectNode object) {
                    objects.add(object);
                }
            });
        }
        return objects;
    }

    static List<String> texts(@Nullable JsonNode list) {
        List<String> texts = new ArrayList<>();
        if (list != null) {
            list.forEach(each -> texts.add(each.asText()));
        }
        return texts;
    }

    static ArrayNode list(ObjectNode object, String field) {
        return object.get(field) instanceof ArrayNode found ? found : object.putArray(field);
    }

    /** Puts an entry in the place of the one with the same key, or at the end. */
    static void upsert(ObjectNode object, String field, String key, ObjectNode entry) {
        ArrayNode list = list(object, field);
        for (int i = 0; i < list.size(); i++) {
            if (entry.path(key).equals(list.get(i).path(key))) {
                list.set(i, entry);
                return;
            }
        }
        list.add(entry);
    }

    static void env(ObjectNode container, String name, String value) {
        upsert(container, "env", "name", Json.object().put("name", name).put("value", value));
    }

    static void envOfField(ObjectNode container, String name, String path) {
        ObjectNode variable = Json.object().put("name", name);
        variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", path);
        upsert(container, "env", "name", variable);
    }
}
