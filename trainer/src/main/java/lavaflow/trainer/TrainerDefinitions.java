package lavaflow.trainer;

import java.util.List;

import lavaflow.controller.DefinitionFiles;

/** The definitions of TrainJobs, of their runtimes, and of the JobSets they become. */
public final class TrainerDefinitions {
    /** As they are installed. */
    public static final DefinitionFiles FILES = new DefinitionFiles(
            TrainerDefinitions.class,
            List.of(
                    "jobsets.jobset.x-k8s.io",
                    "trainingruntimes.trainer.kubeflow.org",
                    "clustertrainingruntimes.trainer.kubeflow.org",
                    "trainjobs.trainer.kubeflow.org"),
            List.of(
                    "kubeflow-trainer-controller-manager",
                    "kubeflow-trainer-controller-manager-role",
                    "kubeflow-trainer-edit",
                    "kubeflow-trainer-view"));

    private TrainerDefinitions() {}
}
