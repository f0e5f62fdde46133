package lavaflow.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.node.SimShape;
import lavaflow.scheduler.Definitions;

/** Queues and gangs on nodes that have less room than is asked for. */
final class GangWorld implements World {
    static final String SCHEDULER = "scheduler";
    static final String BATCH = "batch";
    private static final int STEPS_EACH = 20;
    private static final SimShape NODES = new SimShape(
            "sim",
            4,
            Map.of("cpu", "8", "memory", "32Gi", "pods", "12"),
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

    private static final List<KubeApi.Kind> OBSERVED =
            List.of(Kinds.NODES, Kinds.PODS, Batch.QUEUES, Batch.POD_GROUPS, Batch.COMMANDS);

    private final String name;
    private final int steps;

    private GangWorld(String name, int steps) {
        this.name = name;
        this.steps = steps;
    }

    /** One with time for a lot to go wrong. */
    static GangWorld usual() {
        return new GangWorld("gangs", 900);
    }

    /** One with so little going on that many of them can be in every build. */
    static GangWorld small() {
        return new GangWorld("small-gangs", 240);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return OBSERVED;
    }

    @Override
    public void prepare(SimulatedServer server) {
        new Definitions(server.api(), List.of()).ensureDefined();
        server.serveDefined();
    }

    @Override
    public int steps() {
        return steps;
    }

    @Override
    public int actions() {
        return steps / STEPS_EACH;
    }

    private static GangPolicy policy(Setting setting) {
        return GangPolicy.ALL.get(Math.floorMod(setting.seed(), GangPolicy.ALL.size()));
    }

    @Override
    public Cast cast(Setting setting) {
        Stage stage = setting.stage();
        Workspace workspace = setting.workspace();
        GangPolicy policy = policy(setting);
        stage.trace().add("simulation", "gangs are scheduled as by " + policy.name());
        Orders orders = new Orders(stage);
        QueueIdeas queues = new QueueIdeas(workspace, policy, orders);
        BoundOnce boundOnce = new BoundOnce(stage.api());
        stage.requests().listen(boundOnce);
        return new Cast(
                processes(setting, policy, orders, queues),
                List.of(new GangIdeas(workspace, orders, queues, policy), queues, new NodeIdeas(workspace)),
                List.of(
                        boundOnce,
                        new RoomKept(),
                        new LimitsKept(),
                        new WholeGangs(policy),
                        new TruePhases(),
                        new OrdersDone(orders)));
    }

    private static List<Actor> processes(Setting setting, GangPolicy policy, Orders orders, QueueIdeas queues) {
        Stage stage = setting.stage();
        VirtualClock clock = stage.clock();
        return List.of(
                new Actor(
                        "controllers",
                        stage,
                        faulty -> new ControllersComponent(faulty, setting.server(), clock, CONTROLLERS::contains)),
                new Actor(
                        BATCH,
                        stage,
                        faulty -> BatchComponent.ofQueues(setting.view().apply(BATCH, faulty), clock)),
                new Actor(
                        SCHEDULER,
                        stage,
                        faulty -> new SchedulerComponent(
                                setting.view().apply(SCHEDULER, faulty), clock, policy.configuration())),
                new Actor("nodes", stage, faulty -> new NodesComponent(faulty, clock, NODES, setting.seed())),
                new Actor("orders", stage, _ -> orders),
                new Actor("people", stage, _ -> new Insistence(queues)));
    }
}
