package lavaflow.trainer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is made for a JobSet: Jobs, the service their pods are met by, claims. */
final class ChildForm {
    private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";

    private final JobSetView set;

    ChildForm(JobSetView set) {
        this.set = set;
    }

    /** @param attempt how often the set has been restarted */
    ObjectNode job(JobSetView.Replicated template, int index, long attempt) {
        ObjectNode job = Trainer.owned(set.object(), "batch/v1", "Job", set.jobName(template, index));
        ObjectNode metadata = Json.ensureObject(job, "metadata");
        for (String field : List.of("labels", "annotations")) {
            ObjectNode said = Json.objectAt(template.template(), "metadata", field);
            if (said != null) {
                metadata.set(field, said.deepCopy());
            }
        }
        ObjectNode spec = Json.ensureObject(template.template(), "spec").deepCopy();
        job.set("spec", spec);
        Map<String, String> words = JobSetLabels.of(set, template, index, attempt);
        String exclusive = Json.textAt(metadata, "annotations", EXCLUSIVE);
        exclusive = exclusive.isEmpty() ? Json.textAt(set.object(), "metadata", "annotations", EXCLUSIVE) : exclusive;
        for (ObjectNode each : List.of(metadata, Json.ensureObject(spec, "template", "metadata"))) {
            ObjectNode labels = Json.ensureObject(each, "labels");
            ObjectNode annotations = Json.ensureObject(each, "annotations");
            words.forEach(labels::put);
            words.forEach(annotations::put);
            if (!exclusive.isEmpty()) {
                annotations.put(EXCLUSIVE, exclusive);
            }
        }
        ObjectNode pod = Json.ensureObject(spec, "template", "spec");
        if (set.hasHostnames()) {
            pod.put("subdomain", set.subdomain());
        }
        spec.put("suspend", set.isSuspended());
        addVolumes(pod);
        return job;
    }

    private void addVolumes(ObjectNode pod) {
        for (ObjectNode policy : policies()) {
            for (JsonNode template : Json.listAt(policy, "templates")) {
                String name = Trainer.name(template);
                if (mounts(pod, name)) {
                    ObjectNode volume = Trainer.list(pod, "volumes").addObject().put("name", name);
                    volume.putObject("persistentVolumeClaim").put("claimName", claimName(name));
                }
            }
        }
    }

    static boolean mounts(JsonNode pod, String volume) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : Json.listAt(pod, list)) {
                for (JsonNode mount : Json.listAt(container, "volumeMounts")) {
                    if (Json.textAt(mount, "name").equals(volume)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private List<ObjectNode> policies() {
        return Trainer.objects(Json.listAt(set.object(), "spec", "volumeClaimPolicies"));
    }

    private String claimName(String template) {
        return claimName(set, template);
    }

    static String claimName(JobSetView set, String template) {
        return template + "-" + set.name();
    }

    List<ObjectNode> claims() {
        List<ObjectNode> claims = new ArrayList<>();
        for (ObjectNode policy : policies()) {
            boolean goes = Json.textAt(policy, "retentionPolicy", "whenDeleted").equals("Delete");
            for (ObjectNode template : Trainer.objects(Json.listAt(policy, "templates"))) {
                ObjectNode claim =
                        Trainer.owned(set.object(), "v1", "PersistentVolumeClaim", claimName(Trainer.name(template)));
                ObjectNode metadata = Json.ensureObject(claim, "metadata");
                if (!goes) {
                    metadata.remove("ownerReferences");
                }
                for (String field : List.of("labels", "annotations")) {
                    ObjectNode said = Json.objectAt(template, "metadata", field);
                    if (said != null) {
                        metadata.set(field, said.deepCopy());
                    }
                }
                Json.ensureObject(metadata, "labels").put(JobSetLabels.NAME, set.name());
                claim.set("spec", Json.ensureObject(template, "spec").deepCopy());
                claims.add(claim);
            }
        }
        return claims;
    }

    ObjectNode service() {
        ObjectNode service = Trainer.owned(set.object(), "v1", "Service", set.subdomain());
        ObjectNode spec = service.putObject("spec");
        spec.put("clusterIP", "None")
                .put(
                        "publishNotReadyAddresses",
                        Json.flagAt(set.object(), "spec", "network", "publishNotReadyAddresses"));
        spec.putObject("selector").put(JobSetLabels.NAME, set.name());
        return service;
    }

    /** Lets a Job begin, with what was changed of its pods while nobody could run. */
    static ObjectNode resumption(JobSetView.Replicated template, ChildJob job) {
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", job.uid());
        ObjectNode spec = patch.putObject("spec").put("suspend", false);
        ObjectNode from = Json.ensureObject(template.template(), "spec", "template");
        ObjectNode pod = Json.object();
        for (String field : List.of("labels", "annotations")) {
            ObjectNode said = Json.objectAt(from, "metadata", field);
            if (said != null) {
                Json.ensureObject(pod, "metadata").set(field, said.deepCopy());
            }
        }
        for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
            JsonNode said = Json.at(from, "spec", field);
            if (said != null && !(said instanceof ArrayNode list && list.isEmpty())) {
                Json.ensureObject(pod, "spec").set(field, said.deepCopy());
            }
        }
        if (!pod.isEmpty()) {
            spec.set("template", pod);
        }
        return patch;
    }
}
