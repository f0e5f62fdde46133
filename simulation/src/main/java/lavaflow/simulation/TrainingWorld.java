package lavaflow.simulation;

import java.util.List;
import java.util.stream.Stream;

import lavaflow.batch.Batch;
import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.training.TrainingDefinitions;

/** Kubeflow's training jobs. */
final class TrainingWorld extends RoomyWorld {
    static final String TRAINING = "training";

    /** Every kind of training job. */
    static final List<KubeApi.Kind> JOBS = Stream.of(
                    "tfjobs", "pytorchjobs", "mpijobs", "xgboostjobs", "paddlejobs", "jaxjobs")
            .map(resource -> new KubeApi.Kind("kubeflow.org", "v1", resource, true))
            .toList();

    @Override
    public String name() {
        return "training";
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return Stream.concat(
                        Stream.of(Kinds.NODES, Kinds.PODS, Kinds.SERVICES, Kinds.CONFIG_MAPS, Batch.POD_GROUPS),
                        JOBS.stream())
                .toList();
    }

    @Override
    DefinitionFiles definitions() {
        return TrainingDefinitions.FILES;
    }

    @Override
    String judged() {
        return TRAINING;
    }

    @Override
    Component controller(KubeApi api, VirtualClock clock) {
        return BatchComponent.ofTraining(api, clock);
    }

    @Override
    Ideas ideas(Workspace workspace) {
        return new TrainingIdeas(workspace);
    }

    @Override
    List<Invariant> invariants(Workspace workspace) {
        return List.of(new OrderlyTraining());
    }
}
