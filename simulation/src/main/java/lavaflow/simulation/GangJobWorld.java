package lavaflow.simulation;

import java.util.List;

import lavaflow.batch.Batch;
import lavaflow.controller.DefinitionFiles;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.JobDefinitions;
import lavaflow.jobs.Volcano;

/** Volcano's Jobs. */
final class GangJobWorld extends RoomyWorld {
    static final String JOBS = "jobs";

    @Override
    public String name() {
        return "gang-jobs";
    }

    @Override
    public List<KubeApi.Kind> observed() {
        return List.of(Kinds.NODES, Kinds.PODS, Kinds.SERVICES, Batch.POD_GROUPS, Batch.COMMANDS, Volcano.JOBS);
    }

    @Override
    DefinitionFiles definitions() {
        return JobDefinitions.FILES;
    }

    @Override
    String judged() {
        return JOBS;
    }

    @Override
    Component controller(KubeApi api, VirtualClock clock) {
        return BatchComponent.ofJobs(api, clock);
    }

    @Override
    Ideas ideas(Workspace workspace) {
        return new GangJobIdeas(workspace);
    }

    @Override
    List<Invariant> invariants(Workspace workspace) {
        return List.of(new OrderlyJobs());
    }
}
