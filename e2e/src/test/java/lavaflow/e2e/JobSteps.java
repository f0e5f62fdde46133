package lavaflow.e2e;

import java.util.List;
import java.util.Locale;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Steps of scenarios that change what is there in the same way on both sides, where neither side writes quite the same. */
record JobSteps(KubeApi api, String namespace) {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");

    /** Says of the containers of a pod that runs whether they are ready, and how often the first was restarted. */
    void containers(JsonNode what) {
        String name = Json.textAt(what, "pod");
        ObjectNode status = Json.ensureObject(api.find(PODS, namespace, name).orElseThrow(), "status");
        boolean ready = Json.flagAt(what, "ready");
        for (JsonNode container : Json.listAt(status, "containerStatuses")) {
            ((ObjectNode) container).put("ready", ready);
        }
        if (Json.listAt(status, "containerStatuses").path(0) instanceof ObjectNode first && what.has("restarts")) {
            first.set("restartCount", what.get("restarts"));
        }
        for (JsonNode condition : Json.listAt(status, "conditions")) {
            if (Json.textAt(condition, "type").endsWith("Ready")) {
                ((ObjectNode) condition).put("status", ready ? "True" : "False");
            }
        }
        ObjectNode patch = Json.object();
        patch.putObject("status")
                .<ObjectNode>set("containerStatuses", status.path("containerStatuses"))
                .set("conditions", status.path("conditions"));
        api.patch(PODS, namespace, name, "status", KubeApi.Merge.PLAIN, patch);
    }

    /** Gives each claim a volume, which no controller of these clusters does. */
    void bindClaims() {
        KubeApi.Kind claims = KubeApi.Kind.core("persistentvolumeclaims");
        KubeApi.Kind volumes = KubeApi.Kind.clusterWide("persistentvolumes");
        for (ObjectNode claim : api.list(claims, namespace, KubeApi.View.WHOLE).items()) {
            if (!Json.textAt(claim, "spec", "volumeName").isEmpty()) {
                continue;
            }
            String name = Json.textAt(claim, "metadata", "name");
            String size = Json.textAt(claim, "spec", "resources", "requests", "storage");
            // By its size: names of claims are made by chance.
            String volumeName = "of-" + namespace + "-" + size.toLowerCase(Locale.ROOT);
            ObjectNode volume = Json.object();
            volume.putObject("metadata").put("name", volumeName);
            ObjectNode spec = volume.putObject("spec").put("storageClassName", "");
            spec.putObject("capacity").put("storage", size);
            spec.set("accessModes", Json.at(claim, "spec", "accessModes"));
            spec.putObject("hostPath").put("path", "/nowhere");
            spec.putObject("claimRef")
                    .put("apiVersion", "v1")
                    .put("kind", "PersistentVolumeClaim")
                    .put("namespace", namespace)
                    .put("name", name)
                    .put("uid", Json.textAt(claim, "metadata", "uid"));
            api.create(volumes, "", volume);
            ObjectNode bound = Json.object();
            bound.putObject("status").put("phase", "Bound");
            api.patch(volumes, "", volumeName, "status", KubeApi.Merge.PLAIN, bound);
            ObjectNode patch = Json.object();
            patch.putObject("metadata").putObject("annotations").put("pv.kubernetes.io/bind-completed", "yes");
            patch.putObject("spec").put("volumeName", volumeName);
            api.patch(claims, namespace, name, "", KubeApi.Merge.PLAIN, patch);
            api.patch(claims, namespace, name, "status", KubeApi.Merge.PLAIN, bound);
        }
    }

    /** Changes how many pods a task of a Job of Volcano's has, and how many are needed; the rest stays as the server has it. */
    void scale(JsonNode what) {
        KubeApi.Kind jobs = api.findKind("batch.volcano.sh/v1alpha1", "Job").orElseThrow();
        String name = Json.textAt(what, "name");
        ObjectNode spec = Json.ensureObject(api.find(jobs, namespace, name).orElseThrow(), "spec");
        for (JsonNode task : Json.listAt(spec, "tasks")) {
            if (Json.textAt(task, "name").equals(Json.textAt(what, "task"))) {
                for (String field : List.of("replicas", "minAvailable")) {
                    if (what.has(field)) {
                        ((ObjectNode) task).set(field, what.get(field));
                    }
                }
            }
        }
        ObjectNode patch = Json.object();
        patch.putObject("spec").set("tasks", spec.path("tasks"));
        if (what.has("jobMinAvailable")) {
            Json.ensureObject(patch, "spec").set("minAvailable", what.get("jobMinAvailable"));
        }
        api.patch(jobs, namespace, name, "", KubeApi.Merge.PLAIN, patch);
    }
}
