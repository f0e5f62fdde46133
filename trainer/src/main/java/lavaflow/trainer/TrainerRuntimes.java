package lavaflow.trainer;

import java.time.Duration;
import java.util.List;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.controller.ServedKinds;
import lavaflow.kube.ApiException;

/**
 * The runtimes that are there from the beginning, under upstream's names. Their images are names of recipes, which this machine builds. Whatever has
 * such a name already stays as it is.
 */
public final class TrainerRuntimes {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    public static final DefinitionFiles FILES = new DefinitionFiles(
            TrainerRuntimes.class,
            List.of(
                    "torch-distributed",
                    "deepspeed-distributed",
                    "jax-distributed",
                    "xgboost-distributed",
                    "torchtune-llama3.2-1b",
                    "torchtune-llama3.2-3b",
                    "torchtune-qwen2.5-1.5b"));

    private TrainerRuntimes() {}

    /** Makes those that are missing, once their kind is served; false if it is not after all. */
    public static boolean ensure(KubeApi api) throws InterruptedException {
        if (!ServedKinds.await(api, List.of("clustertrainingruntimes.trainer.kubeflow.org"), PATIENCE)) {
            return false;
        }
        for (String name : FILES.names()) {
            if (api.find(Trainer.CLUSTER_RUNTIMES, "", name).isEmpty()) {
                create(api, name);
            }
        }
        return true;
    }

    private static void create(KubeApi api, String name) {
        try {
            api.create(Trainer.CLUSTER_RUNTIMES, "", FILES.read(name));
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw e;
            }
            // Another one was quicker.
        }
    }
}
