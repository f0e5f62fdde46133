package lavaflow.flows;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The words of Volcano's API that more than one class here needs. */
final class Flows {
    static final String GROUP = "flow.volcano.sh";
    static final KubeApi.Kind JOB_FLOWS = new KubeApi.Kind(GROUP, "v1alpha1", "jobflows", true);
    static final KubeApi.Kind JOB_TEMPLATES = new KubeApi.Kind(GROUP, "v1alpha1", "jobtemplates", true);
    static final KubeApi.Kind JOBS = new KubeApi.Kind("batch.volcano.sh", "v1alpha1", "jobs", true);
    static final KubeApi.Kind CRON_JOBS = new KubeApi.Kind("batch.volcano.sh", "v1alpha1", "cronjobs", true);
    static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    /** On a Job, as label and annotation: {@code namespace.name} of what it was made of. */
    static final String BY_TEMPLATE = "volcano.sh/createdByJobTemplate";

    static final String BY_FLOW = "volcano.sh/createdByJobFlow";

    /** On a JobFlow: how often each of its Jobs may be made anew after it failed. Upstream has no way to say that. */
    static final String MAX_RETRY = "lavaflow.io/max-retry";

    /** On a JobFlow: how often each was, as JSON by the names of steps; on a Job: which time this is. */
    static final String ATTEMPTS = "lavaflow.io/attempts";

    static final String ATTEMPT = "lavaflow.io/attempt";

    static final String SCHEDULED = "volcano.sh/cronjob-scheduled-timestamp";

    /** An object of a kind. */
    record Key(String namespace, String name) {
        static Key of(ObjectNode object) {
            return new Key(Flows.namespace(object), Flows.name(object));
        }

        @Override
        public String toString() {
            return namespace + "/" + name;
        }
    }

    private Flows() {}

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
        return !Json.textAt(object, "metadata", "deletionTimestamp").isEmpty();
    }

    static String phase(JsonNode job) {
        return Json.textAt(job, "status", "state", "phase");
    }

    /** The uid of the object that controls another; empty where none does. */
    static String controller(JsonNode object) {
        for (JsonNode owner : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.flagAt(owner, "controller")) {
                return Json.textAt(owner, "uid");
            }
        }
        return "";
    }

    static ObjectNode reference(ObjectNode owner, String apiVersion, String kind) {
        return Json.object()
                .put("apiVersion", apiVersion)
                .put("kind", kind)
                .put("name", name(owner))
                .put("uid", uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }
}
