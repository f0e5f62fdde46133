package lavaflow.jobs;

import java.util.List;

import lavaflow.controller.DefinitionFiles;

/** The definitions of Jobs and of the kinds that carry them. */
public final class JobDefinitions {
    /** As they are installed. */
    public static final DefinitionFiles FILES = new DefinitionFiles(
            JobDefinitions.class,
            List.of(
                    "jobs.batch.volcano.sh",
                    "cronjobs.batch.volcano.sh",
                    "jobtemplates.flow.volcano.sh",
                    "jobflows.flow.volcano.sh"),
            List.of("volcano-controllers", "volcano-controllers-role", "volcano-jobs-edit", "volcano-jobs-view"));

    private JobDefinitions() {}
}
