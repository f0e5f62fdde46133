package lavaflow.training;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which jobs are refused, in the words of upstream's webhooks. Functions of values. */
public final class TrainingRules {
    private static final String MASTER = "Master";
    private static final List<String> MANAGERS = List.of(RunPolicy.OPERATOR, RunPolicy.MULTI_KUEUE);

    private final Framework framework;
    private final ObjectNode job;
    private final FieldErrors errors = new FieldErrors();
    private final List<String> warnings = new ArrayList<>();

    private TrainingRules(Framework framework, ObjectNode job) {
        this.framework = framework;
        this.job = job;
    }

    /**
     * What is to be said about a job.
     *
     * @param webhook upstream's name for who says it
     * @param refusal why it is refused, empty if it is not
     */
    public record Answer(String webhook, String refusal, List<String> warnings) {}

    /**
     * Judges a new or changed job; null for what has no rules.
     *
     * @param resource such as {@code tfjobs}
     * @param old null for a new one
     */
    public static @Nullable Answer judge(String resource, ObjectNode job, @Nullable ObjectNode old) {
        for (Framework framework : Frameworks.ALL) {
            if (framework.words().plural().equals(resource) && !(framework instanceof Mpi)) {
                TrainingRules rules = new TrainingRules(framework, job);
                rules.check(old);
                return new Answer(
                        "validator." + Training.lower(framework.words().kind()) + ".training-operator.kubeflow.org",
                        aggregate(rules.errors),
                        rules.warnings);
            }
        }
        return null;
    }

    /** As upstream joins many into one. */
    private static String aggregate(FieldErrors errors) {
        List<String> messages =
                errors.list().stream().map(FieldError::message).distinct().toList();
        return messages.size() > 1
                ? messages.stream().collect(Collectors.joining(", ", "[", "]"))
                : String.join("", messages);
    }

    private void check(@Nullable ObjectNode old) {
        String name = Training.name(job);
        List<String> wrong = Names.dns1035Label(name);
        FieldPath namePath = FieldPath.of("metadata", "name");
        if (!wrong.isEmpty()) {
            errors.invalid(namePath, name, "should match: " + String.join(",", wrong));
        }
        checkManager(old);
        if (framework instanceof PyTorch) {
            checkElastic();
        }
        ObjectNode specs = Json.objectAt(job, "spec", framework.words().replicas());
        FieldPath path = FieldPath.of("spec", framework.words().replicas());
        if (specs == null) {
            errors.required(path, "must be required");
        } else {
            specs.properties().forEach(each -> checkReplica(path, each));
        }
        checkTypes(path, specs == null ? Json.object() : specs);
        if (wrong.isEmpty() && specs != null) {
            checkLength(namePath, name, specs);
        }
    }

    private void checkManager(@Nullable ObjectNode old) {
        FieldPath path = FieldPath.of("spec", "runPolicy", "managedBy");
        JsonNode manager = Json.at(job, "spec", "runPolicy", "managedBy");
        if (old != null && !Objects.equals(manager, Json.at(old, "spec", "runPolicy", "managedBy"))) {
            errors.invalid(path, manager, "field is immutable");
        }
        if (manager != null && !MANAGERS.contains(manager.asText())) {
            errors.notSupported(path, manager.asText(), MANAGERS);
        }
    }

    private void checkElastic() {
        JsonNode elastic = Json.at(job, "spec", "elasticPolicy");
        if (elastic == null) {
            return;
        }
        if (Json.at(job, "spec", "pytorchReplicaSpecs", "Worker") == null) {
            errors.required(
                    FieldPath.of("spec", "pytorchReplicaSpecs").key("Worker"),
                    "must be configured if elastic policy is used");
        }
        if (Json.at(elastic, "nProcPerNode") != null) {
            warnings.add("spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead");
            if (Json.at(job, "spec", "nprocPerNode") != null) {
                errors.forbidden(
                        FieldPath.of("spec", "elasticPolicy", "nProcPerNode"),
                        "must not be used with spec.nprocPerNode");
            }
        }
    }

    private void checkReplica(FieldPath specs, Map.Entry<String, JsonNode> replica) {
        String type = replica.getKey();
        Framework.Words words = framework.words();
        FieldPath path = specs.key(type);
        if (!(framework instanceof TensorFlow) && !words.types().contains(type)) {
            errors.notSupported(path, type, words.types());
        }
        FieldPath containersPath = path.child("template", "spec", "containers");
        JsonNode containers = Json.listAt(replica.getValue(), "template", "spec", "containers");
        if (containers.isEmpty()) {
            errors.required(containersPath, "must be specified");
        }
        boolean named = false;
        for (int i = 0; i < containers.size(); i++) {
            if (Json.textAt(containers.get(i), "image").isEmpty()) {
                errors.required(containersPath.index(i).child("image"), "must be required");
            }
            named |= Json.textAt(containers.get(i), "name").equals(words.container());
        }
        if (!named) {
            String shown = framework instanceof Paddle ? "\"" + words.container() + "\"" : words.container();
            errors.required(containersPath, "must have at least one container with name " + shown);
        }
        checkCount(path.child("replicas"), type, RunPolicy.number(replica.getValue(), "replicas"));
    }

    private void checkCount(FieldPath path, String type, @Nullable Long count) {
        boolean oneMaster = framework instanceof PyTorch || framework instanceof XGBoost;
        if (oneMaster && type.equals(MASTER)) {
            if (count == null || count != 1) {
                errors.forbidden(path, "must be 1");
            }
        } else if (framework instanceof PyTorch && count != null && count < 1) {
            errors.forbidden(path, "must be at least 1");
        }
    }

    private void checkTypes(FieldPath path, ObjectNode specs) {
        if (framework instanceof TensorFlow && specs.has(TensorFlow.CHIEF) && specs.has(TensorFlow.MASTER)) {
            errors.forbidden(path, "must not have more than 1 Chief or Master role");
        }
        if (framework instanceof XGBoost && !specs.has(MASTER)) {
            errors.required(path.key(MASTER), "must be present");
        }
    }

    /** Upstream lets these in and then fails to make their services, again and again. */
    private void checkLength(FieldPath path, String name, ObjectNode specs) {
        specs.properties().forEach(each -> {
            long last = Math.max(0, Json.longAt(each.getValue(), 1, "replicas") - 1);
            String longest = name + "-" + Training.lower(each.getKey()) + "-" + last;
            List<String> wrong = Names.dns1035Label(longest.replace('/', '-'));
            if (!wrong.isEmpty()) {
                errors.invalid(
                        path,
                        name,
                        "will not able to create pod and service with invalid DNS label \"" + longest + "\": "
                                + String.join(", ", wrong));
            }
        });
    }
}
