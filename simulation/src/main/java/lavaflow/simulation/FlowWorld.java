package lavaflow.simulation;

import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.JobDefinitions;
import lavaflow.jobs.Volcano;

/** Flows of Volcano's Jobs, the templates they are made of, and Jobs by the clock. */
final class FlowWorld extends RoomyWorld {
    static final KubeApi.Kind FLOWS = new KubeApi.Kind("flow.volcano.sh", "v1alpha1", "jobflows", true);
    static final KubeApi.Kind TEMPLATES = new KubeApi.Kind("flow.volcano.sh", "v1alpha1", "jobtemplates", true);
    static final KubeApi.Kind CRON_JOBS = new KubeApi.Kind(Volcano.GROUP, Volcano.VERSION, "cronjobs", true);

    /** More than elsewhere: one Job after the other, and minutes for those by the clock. */
    private static final int STEPS = 1_600;

    @Override
    public String name() {
        return "flows";
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return List.of(
                Kinds.NODES,
                Kinds.PODS,
                Kinds.SERVICES,
                Batch.POD_GROUPS,
                Batch.COMMANDS,
                Volcano.JOBS,
                FLOWS,
                TEMPLATES,
                CRON_JOBS);
    }

    @Override
    public int steps() {
        return STEPS;
    }

    @Override
    DefinitionFiles definitions() {
        return JobDefinitions.FILES;
    }

    @Override
    String judged() {
        return "flows";
    }

    @Override
    Component controller(KubeApi api, VirtualClock clock) {
        return BatchComponent.ofFlows(api, clock);
    }

    @Override
    List<Actor> others(Setting setting) {
        Stage stage = setting.stage();
        return List.of(new Actor(GangJobWorld.JOBS, stage, faulty -> BatchComponent.ofJobs(faulty, stage.clock())));
    }

    @Override
    Ideas ideas(Workspace workspace) {
        return new FlowIdeas(workspace);
    }

    @Override
    List<Invariant> invariants(Workspace workspace) {
        return List.of(new OrderlyJobs(), new OrderlyFlows(workspace), new OrderlyClocks(workspace));
    }
}
