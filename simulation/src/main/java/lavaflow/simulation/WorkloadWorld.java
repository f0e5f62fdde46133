package lavaflow.simulation;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.node.SimShape;

/** Workloads of all sorts, services, volumes and budgets on nodes with plenty of room. */
final class WorkloadWorld implements World {
    private static final int NODES = 4;
    private static final int STEPS = 1_200;
    private static final int ACTIONS = 40;

    @Override
    public String name() {
        return "workloads";
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return Kinds.OBSERVED;
    }

    @Override
    public void prepare(SimulatedServer server) {}

    @Override
    public int steps() {
        return STEPS;
    }

    @Override
    public int actions() {
        return ACTIONS;
    }

    @Override
    public Cast cast(Setting setting) {
        return new Cast(processes(setting), topics(setting), invariants(setting));
    }

    private static List<Actor> processes(Setting setting) {
        Stage stage = setting.stage();
        VirtualClock clock = stage.clock();
        return List.of(
                new Actor(
                        "controllers",
                        stage,
                        faulty -> new ControllersComponent(
                                setting.view().apply("controllers", faulty), setting.server(), clock, _ -> true)),
                new Actor("scheduler", stage, faulty -> new SchedulerComponent(faulty, clock, null)),
                new Actor(
                        "nodes",
                        stage,
                        faulty -> new NodesComponent(faulty, clock, SimShape.usual(NODES), setting.seed())));
    }

    private static List<Ideas> topics(Setting setting) {
        Workspace workspace = setting.workspace();
        return List.of(
                new WorkloadIdeas(workspace),
                new BatchIdeas(workspace),
                new ServiceIdeas(workspace),
                new StorageIdeas(workspace),
                new BudgetIdeas(workspace),
                new NamespaceIdeas(workspace),
                new NodeIdeas(workspace));
    }

    private static List<Invariant> invariants(Setting setting) {
        Stage stage = setting.stage();
        // Nobody can know of a pod whose creation was not answered before it is seen.
        boolean answersArrive = setting.faults().lostAnswer() == 0;
        List<Invariant> all = new ArrayList<>(List.of(
                new Settled(),
                new QuotaHeld(),
                new OrderlySets(),
                new ExactJobs(),
                new OnePerNode(answersArrive),
                new OneJobAtATime(),
                new BudgetsKept(),
                new WithinBounds(stage.meter()),
                new SafeData(setting.workspace(), setting.server().directories()),
                new CleanDepartures(setting.workspace())));
        if (answersArrive) {
            all.add(new NeverTooMany(stage.clock()));
        }
        if (setting.gentle()) {
            all.add(new SteadyRollouts());
        }
        return all;
    }
}
