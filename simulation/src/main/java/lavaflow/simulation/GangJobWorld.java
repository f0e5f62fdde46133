package lavaflow.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.jobs.JobDefinitions;
import lavaflow.jobs.Volcano;
import lavaflow.node.SimShape;
import lavaflow.scheduler.Definitions;

/** Volcano's Jobs on nodes with plenty of room. */
final class GangJobWorld implements World {
    static final String JOBS = "jobs";
    private static final int STEPS = 400;
    private static final int STEPS_EACH = 20;
    private static final SimShape NODES = new SimShape(
            "sim",
            4,
            Map.of("cpu", "32", "memory", "128Gi", "pods", "200"),
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
        return "gang-jobs";
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return List.of(Kinds.NODES, Kinds.PODS, Kinds.SERVICES, Batch.POD_GROUPS, Batch.COMMANDS, Volcano.JOBS);
    }

    @Override
    public void prepare(SimulatedServer server) {
        new Definitions(server.api(), List.of(JobDefinitions.FILES)).ensureDefined();
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
                        JOBS,
                        stage,
                        faulty -> BatchComponent.ofJobs(setting.view().apply(JOBS, faulty), clock)),
                new Actor("scheduler", stage, faulty -> new SchedulerComponent(faulty, clock, Configuration.usual())),
                new Actor("nodes", stage, faulty -> new NodesComponent(faulty, clock, NODES, setting.seed())));
        return new Cast(
                processes,
                List.of(new GangJobIdeas(setting.workspace()), new NodeIdeas(setting.workspace())),
                List.of(new OrderlyJobs()));
    }
}
