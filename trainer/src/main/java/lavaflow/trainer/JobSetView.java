package lavaflow.trainer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A JobSet that is completed with defaults, whoever let it in.
 *
 * @param jobs its templates, in their order
 */
record JobSetView(ObjectNode object, List<Replicated> jobs) {
    private static final String CONTROLLER = "jobset.sigs.k8s.io/jobset-controller";

    /**
     * A template of Jobs.
     *
     * @param replicas how many Jobs
     * @param after which others must have come how far before them
     */
    record Replicated(String name, String group, int replicas, ObjectNode template, Map<String, String> after) {
        private static Replicated of(ObjectNode job) {
            Map<String, String> after = new LinkedHashMap<>();
            for (JsonNode each : Json.listAt(job, "dependsOn")) {
                after.put(Json.textAt(each, "name"), Json.textAt(each, "status"));
            }
            return new Replicated(
                    Json.textAt(job, "name"),
                    Json.textAt(job, "groupName"),
                    (int) Json.longAt(job, 1, "replicas"),
                    Json.ensureObject(job, "template"),
                    after);
        }
    }

    static JobSetView of(ObjectNode raw) {
        ObjectNode set = raw.deepCopy();
        JobSetDefaults.complete(set);
        return new JobSetView(
                set,
                Trainer.objects(Json.listAt(set, "spec", "replicatedJobs")).stream()
                        .map(Replicated::of)
                        .toList());
    }

    String name() {
        return Trainer.name(object);
    }

    String namespace() {
        return Trainer.namespace(object);
    }

    String uid() {
        return Trainer.uid(object);
    }

    boolean isOurs() {
        String manager = Json.textAt(object, "spec", "managedBy");
        return manager.isEmpty() || manager.equals(CONTROLLER);
    }

    boolean isSuspended() {
        return Json.flagAt(object, "spec", "suspend");
    }

    boolean isInOrder() {
        return Json.textAt(object, "spec", "startupPolicy", "startupPolicyOrder")
                .equals("InOrder");
    }

    boolean hasHostnames() {
        return Json.flagAt(object, "spec", "network", "enableDNSHostnames");
    }

    /** The name of the service, and where pods are met. */
    String subdomain() {
        String said = Json.textAt(object, "spec", "network", "subdomain");
        return said.isEmpty() ? name() : said;
    }

    @Nullable
    ObjectNode failurePolicy() {
        return Json.objectAt(object, "spec", "failurePolicy");
    }

    String jobName(Replicated job, int index) {
        return jobName(name(), job.name(), index);
    }

    static String jobName(String set, String job, int index) {
        return set + "-" + job + "-" + index;
    }
}
