package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.gang.Configuration;
import lavaflow.node.SimShape;
import lavaflow.scheduler.Definitions;

/** Jobs of one sort, as gangs, on nodes with plenty of room: it is their controller that is judged. */
abstract class RoomyWorld implements World {
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

    /** The definitions of the jobs. */
    abstract DefinitionFiles definitions();

    /** The name of the process that is judged. */
    abstract String judged();

    abstract Component controller(KubeApi api, VirtualClock clock);

    abstract Ideas ideas(Workspace workspace);

    abstract List<Invariant> invariants(Workspace workspace);

    /** Who else has to work for the one that is judged. */
    List<Actor> others(Setting setting) {
        return List.of();
    }

    @Override
    public void prepare(SimulatedServer server) {
        new Definitions(server.api(), List.of(definitions())).ensureDefined();
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
        List<Actor> processes = new ArrayList<>(List.of(
                new Actor(
                        "controllers",
                        stage,
                        faulty -> new ControllersComponent(faulty, setting.server(), clock, CONTROLLERS::contains)),
                new Actor("batch", stage, faulty -> BatchComponent.ofQueues(faulty, clock)),
                new Actor(judged(), stage, faulty -> controller(setting.view().apply(judged(), faulty), clock)),
                new Actor("scheduler", stage, faulty -> new SchedulerComponent(faulty, clock, Configuration.usual())),
                new Actor("nodes", stage, faulty -> new NodesComponent(faulty, clock, NODES, setting.seed()))));
        processes.addAll(others(setting));
        return new Cast(
                processes,
                List.of(ideas(setting.workspace()), new NodeIdeas(setting.workspace())),
                invariants(setting.workspace()));
    }
}
