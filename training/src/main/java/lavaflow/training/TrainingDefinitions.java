package lavaflow.training;

import java.util.List;

import lavaflow.controller.DefinitionFiles;

/** The definitions of training jobs. */
public final class TrainingDefinitions {
    /** As they are installed. */
    public static final DefinitionFiles FILES = new DefinitionFiles(
            TrainingDefinitions.class,
            List.of(
                    "tfjobs.kubeflow.org",
                    "pytorchjobs.kubeflow.org",
                    "mpijobs.kubeflow.org",
                    "xgboostjobs.kubeflow.org",
                    "paddlejobs.kubeflow.org",
                    "jaxjobs.kubeflow.org"),
            List.of("training-operator", "training-operator-role", "kubeflow-training-edit", "kubeflow-training-view"));

    private TrainingDefinitions() {}
}
