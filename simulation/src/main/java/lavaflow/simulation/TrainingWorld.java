package lavaflow.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.node.SimShape;
import lavaflow.scheduler.Definitions;
import lavaflow.training.TrainingDefinitions;

/** Kubeflow's training jobs, as gangs, on nodes with plenty of room. */
final class TrainingWorld implements World {
    static final String TRAINING = "training";

    /** Every kind of training job. */
    static final List<KubeApi.Kind> JOBS = Stream.of(
                    "tfjobs", "pytorchjobs", "mpijobs", "xgboostjobs", "paddlejobs", "jaxjobs")
            .map(resource -> new KubeApi.Kind("kubeflow.org", "v1", resource, true))
            .toList();

    private static final int STEPS = 400;
    private static final int STEPS_EACH = 20;
    private static final SimShape NODES = new SimShape(
            "sim",
            4,
            Map.of("cpu", "32", "memory", "128Gi", "ephemeral-storage", "1Ti", "pods", "200"),
            Map.of(),
            List.of(),
            List.of(),
            SimShape.Defaults.NONE);

    /** What pods and nodes cannot do without; the other controllers are judged elsewhere. */
    private static final Set<String> CONTROLLERS = Set.of(
            "serviceaccount-controller",
            "garbage-collector-controller",
            "node-lifecycle-controller",
            "taint-eviction-controller",
            "pod-garbage-collector-controller");

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
    public void prepare(SimulatedServer server) {
        new Definitions(server.api(), List.of(TrainingDefinitions.FILES)).ensureDefined();
        server.serveDefined();
    }

    @Override
    public int steps() {
        return STEPS;
    }

    @Override
    public int actions() {
        return STEPS / STEPS_EACH;
    }

    @Override
    public Cast cast(Setting setting) {
        Stage stage = setting.stage();
        VirtualClock clock = stage.clock();
        List<Actor> processes = List.of(
                new Actor(
                        "controllers",
                        stage,
                        faulty -> new ControllersComponent(faulty, setting.server(), clock, CONTROLLERS::contains)),
                new Actor("batch", stage, faulty -> BatchComponent.ofQueues(faulty, clock)),
                new Actor(
                        TRAINING,
                        stage,
                        faulty -> BatchComponent.ofTraining(setting.view().apply(TRAINING, faulty), clock)),
                new Actor("scheduler", stage, faulty -> new SchedulerComponent(faulty, clock, Configuration.usual())),
                new Actor("nodes", stage, faulty -> new NodesComponent(faulty, clock, NODES, setting.seed())));
        return new Cast(
                processes,
                List.of(new TrainingIdeas(setting.workspace()), new NodeIdeas(setting.workspace())),
                List.of(new OrderlyTraining()));
    }
}
