package lavaflow.trainer;

import java.util.List;
import java.util.Map;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which runtimes are refused: those whose steps nobody could fill. They are looked at when they are made. */
final class RuntimeRules {
    /** The container each step must have. */
    private static final Map<String, String> CONTAINERS =
            Map.of(Trainer.TRAINER, Trainer.NODE, Trainer.DATASET, Trainer.DATASET, Trainer.MODEL, Trainer.MODEL);

    private RuntimeRules() {}

    static TrainerRules.Answer judge(ObjectNode runtime, @Nullable ObjectNode old) {
        FieldErrors errors = new FieldErrors();
        if (old == null) {
            check(runtime, errors);
        }
        return new TrainerRules.Answer(TrainerRules.joined(errors), List.of());
    }

    private static void check(ObjectNode runtime, FieldErrors errors) {
        FieldPath path = FieldPath.of("spec", "template", "spec", "replicatedJobs");
        ArrayNode jobs = Json.listAt(runtime, "spec", "template", "spec", "replicatedJobs");
        for (int i = 0; i < jobs.size(); i++) {
            JsonNode job = jobs.get(i);
            String step = Json.textAt(job, "template", "metadata", "labels", Trainer.ANCESTOR);
            String wanted = CONTAINERS.get(step);
            if (wanted == null) {
                continue;
            }
            long replicas = Json.longAt(job, 1, "replicas");
            if (replicas != 1) {
                errors.invalid(path.index(i).child("replicas"), replicas, "always must be 1");
            }
            ArrayNode containers = Json.listAt(job, "template", "spec", "template", "spec", "containers");
            boolean has = false;
            for (JsonNode container : containers) {
                has |= Json.textAt(container, "name").equals(wanted);
            }
            if (!has) {
                errors.invalid(
                        path.index(i).child("template", "spec", "template", "spec", "containers"),
                        containers,
                        "must contain the required container for the ancestor: " + step);
            }
        }
    }
}
