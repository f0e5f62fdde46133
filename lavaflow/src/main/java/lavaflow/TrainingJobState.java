package lavaflow;

import java.util.List;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.explain.ExplanationForm;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is said of a training job that has no PodGroup: it has ended, or was never a gang. */
final class TrainingJobState {
    private static final String LABEL = "training.kubeflow.org/job-name";
    private static final List<String> KINDS =
            List.of("TFJob", "PyTorchJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob");

    private TrainingJobState() {}

    /** The explanation of the training job of a name; the last that was made, if there are several. */
    static Optional<ObjectNode> find(KubeApi api, String namespace, String name) {
        ObjectNode last = null;
        String kind = "";
        for (String each : KINDS) {
            ObjectNode found = find(api, each, namespace, name).orElse(null);
            if (found != null && (last == null || created(last).compareTo(created(found)) < 0)) {
                last = found;
                kind = each;
            }
        }
        return last == null ? Optional.empty() : Optional.of(explained(api, kind, namespace, name, last));
    }

    private static String created(ObjectNode job) {
        return Json.textAt(job, "metadata", "creationTimestamp");
    }

    private static Optional<ObjectNode> find(KubeApi api, String kind, String namespace, String name) {
        try {
            return api.findKind("kubeflow.org/v1", kind).flatMap(served -> api.find(served, namespace, name));
        } catch (ApiException e) {
            if (e.code() == 403) {
                return Optional.empty(); // one of this kind is nobody's business
            }
            throw e;
        }
    }

    private static ObjectNode explained(KubeApi api, String kind, String namespace, String name, ObjectNode job) {
        String phase = "";
        String message = "";
        for (JsonNode condition : Json.listAt(job, "status", "conditions")) {
            if (Json.textAt(condition, "status").equals("True")) {
                phase = Json.textAt(condition, "type");
                message = Json.textAt(condition, "message");
            }
        }
        ObjectNode document = ExplanationForm.ofJob(kind, namespace, name, phase, message);
        PodTroubles.tellOfJob(api, namespace, name, LABEL, document);
        return document;
    }
}
