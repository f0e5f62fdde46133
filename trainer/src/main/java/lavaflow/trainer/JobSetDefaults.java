package lavaflow.trainer;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Completes JobSets as upstream's webhook does, and what their schema completes beside it. */
public final class JobSetDefaults {
    private JobSetDefaults() {}

    /**
     * Puts in what is not said.
     *
     * @param set which is changed
     */
    public static void complete(ObjectNode set) {
        ObjectNode spec = Json.ensureObject(set, "spec");
        if (!spec.has("successPolicy")) {
            spec.putObject("successPolicy").put("operator", "All");
        }
        if (!spec.has("startupPolicy")) {
            spec.putObject("startupPolicy").put("startupPolicyOrder", "AnyOrder");
        }
        Trainer.objects(Json.listAt(spec, "replicatedJobs")).forEach(JobSetDefaults::completeJob);
        ObjectNode network = Json.ensureObject(spec, "network");
        for (String flag : new String[] {"enableDNSHostnames", "publishNotReadyAddresses"}) {
            if (!network.has(flag)) {
                network.put(flag, true);
            }
        }
        int number = 0;
        for (ObjectNode rule : Trainer.objects(Json.listAt(spec, "failurePolicy", "rules"))) {
            if (Json.textAt(rule, "name").isEmpty()) {
                rule.put("name", "failurePolicyRule" + number);
            }
            number++;
        }
        for (ObjectNode policy : Trainer.objects(Json.listAt(spec, "volumeClaimPolicies"))) {
            if (!policy.has("retentionPolicy")) {
                policy.putObject("retentionPolicy").put("whenDeleted", "Delete");
            }
        }
    }

    private static void completeJob(ObjectNode job) {
        if (!job.has("groupName")) {
            job.put("groupName", "default");
        }
        if (!job.has("replicas")) {
            job.put("replicas", 1);
        }
        ObjectNode spec = Json.ensureObject(job, "template", "spec");
        if (!spec.has("completionMode")) {
            spec.put("completionMode", "Indexed");
        }
        ObjectNode pod = Json.ensureObject(spec, "template", "spec");
        JsonNode policy = pod.get("restartPolicy");
        if (policy == null || policy.asText().isEmpty()) {
            pod.put("restartPolicy", "OnFailure");
        }
    }
}
