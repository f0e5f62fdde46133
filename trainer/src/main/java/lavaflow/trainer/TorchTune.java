package lavaflow.trainer;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** torchtune: which recipe tunes which model, from the name of the runtime, the arguments and the devices. */
final class TorchTune {
    private static final List<String> ENTRY = List.of("tune", "run");
    private static final Set<String> FIXED =
            Set.of("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file");
    private static final String LARGE = "llama3_3/70B";
    private static final String QWEN = "qwen2_5/1.5B";
    private static final List<String> SMALL = List.of("llama3_2/1B", "llama3_2/3B");
    private static final Set<String> MODELS = Set.of(SMALL.getFirst(), SMALL.getLast(), LARGE, QWEN);

    private final Blueprint blueprint;
    private final List<String> args;
    private final String model;
    private final int nodes;

    TorchTune(Blueprint blueprint) {
        this.blueprint = blueprint;
        this.args = Trainer.texts(Json.at(blueprint.trainer(), "args"));
        this.model = model(Json.textAt(blueprint.trainJob(), "spec", "runtimeRef", "name"));
        this.nodes = blueprint.numNodes();
    }

    /** Whether a job tunes. */
    static boolean is(@Nullable ObjectNode trainer) {
        return Trainer.texts(Json.at(trainer, "command")).equals(ENTRY);
    }

    /** {@code torchtune-llama3.2-1b} is for {@code llama3_2/1B}. */
    private static String model(String runtime) {
        String[] parts = runtime.split("-", -1);
        return parts.length == 3 ? parts[1].replace('.', '_') + "/" + parts[2].toUpperCase(Locale.ROOT) : "";
    }

    /**
     * The whole command: where processes meet if there are several, the recipe, and what the runtime keeps for itself.
     *
     * @param usual the command in the runtime
     */
    List<String> command(List<String> usual) {
        List<String> command = new ArrayList<>(ENTRY);
        if (nodes > 1 || hasManyProcesses()) {
            command.add("--rdzv_endpoint=" + blueprint.leader() + ":" + Trainer.PORT);
        }
        command.addAll(List.of(recipe(), "--config", config()));
        usual.stream().filter(word -> FIXED.contains(word.split("=", 2)[0])).forEach(command::add);
        return command;
    }

    private boolean hasManyProcesses() {
        String processes = TorchPolicy.processes(blueprint);
        return processes.equals("auto") ? blueprint.gpus() > 1 : !processes.equals("1") && !processes.equals("0");
    }

    private boolean isSingle() {
        return nodes == 1 && (TorchPolicy.processes(blueprint).equals("1") || blueprint.gpus() == 1);
    }

    private String recipe() {
        boolean low = nodes == 1 && (isQuantized() || isLora());
        return (low ? "lora" : "full") + "_finetune_" + (isSingle() ? "single_device" : "distributed");
    }

    private String config() {
        if (nodes > 1) {
            return model + "_full_multinode";
        }
        return model + (isQuantized() ? "_qlora" : isLora() ? "_lora" : "_full") + (isSingle() ? "_single_device" : "");
    }

    private boolean isLora() {
        return args.stream().anyMatch(arg -> arg.contains("model.lora_attn_modules"));
    }

    private boolean isQuantized() {
        return !isOn("model.use_dora") && isOn("model.quantize_base");
    }

    private boolean isOn(String name) {
        return args.stream()
                .map(arg -> arg.split("=", 2))
                .anyMatch(parts -> parts.length == 2
                        && parts[0].contains(name)
                        && parts[1].strip().equalsIgnoreCase("true"));
    }

    void check(FieldErrors errors) {
        FieldPath spec = FieldPath.of("spec");
        FieldPath name = spec.child("runtimeRef", "name");
        String runtime = Json.textAt(blueprint.trainJob(), "spec", "runtimeRef", "name");
        FieldPath numNodes = spec.child("trainer", "numNodes");
        if (!MODELS.contains(model)) {
            errors.invalid(name, runtime, "must have a supported pretrained model, invalid model configured: " + model);
        }
        if (nodes > 1 && !model.equals(LARGE)) {
            errors.invalid(numNodes, nodes, "must be 1 for " + model + " model");
        }
        if (nodes == 1 && isQuantized()) {
            if (model.equals(QWEN)) {
                errors.invalid(name, runtime, "QLoRA is not supported for " + model + " model");
            }
            if (!isSingle() && SMALL.contains(model)) {
                errors.invalid(
                        spec.child("trainer", "numProcPerNode"),
                        TorchPolicy.processes(blueprint),
                        "must be auto or 1 for " + model + " model when using QLoRA");
                errors.invalid(
                        spec.child("trainer", "resourcesPerNode"),
                        Json.at(blueprint.trainer(), "resourcesPerNode"),
                        "must have gpu resource with value 1 for " + model + " model when using QLoRA");
            }
        }
        if (nodes > 1 && (isLora() || isQuantized())) {
            errors.invalid(numNodes, nodes, "LoRA fine-tuning is not supported for multi-node training in TorchTune");
        }
        for (int i = 0; i < args.size(); i++) {
            String key = args.get(i).split("=", 2)[0];
            if (FIXED.contains(key)) {
                errors.invalid(
                        spec.child("trainer", "args").index(i),
                        args.get(i),
                        "must not set immutable config \"" + key + "\" in trainer args; it is managed by the runtime");
            }
        }
    }
}
