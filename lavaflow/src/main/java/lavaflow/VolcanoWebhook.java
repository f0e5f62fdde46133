package lavaflow;

import java.util.Arrays;
import java.util.List;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.batch.HyperNodeRules;
import lavaflow.batch.PodGroupRules;
import lavaflow.batch.QueueRules;
import lavaflow.jobs.CronJobRules;
import lavaflow.jobs.GangPodRules;
import lavaflow.jobs.JobDefaults;
import lavaflow.jobs.JobFlowRules;
import lavaflow.jobs.JobPlugins;
import lavaflow.jobs.JobRules;
import lavaflow.jobs.JobUpdateRules;
import lavaflow.jobs.VolcanoJob;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The webhooks of Volcano: what each is asked about, and what it answers, wherever it runs. */
enum VolcanoWebhook implements Webhook {
    MUTATE_JOBS("/jobs/mutate", "mutatejob", Kind.JOBS, When.MADE) {
        @Override
        public String answer(Review review) {
            JobDefaults.complete(review.present(), review.cluster().scheduler());
            return "";
        }
    },
    MUTATE_POD_GROUPS("/podgroups/mutate", "mutatepodgroup", Kind.POD_GROUPS, When.MADE) {
        @Override
        public String answer(Review review) {
            PodGroupRules.complete(review.present(), review.cluster().namespace(review.namespace()));
            return "";
        }
    },
    MUTATE_PODS("/pods/mutate", "mutatepod", Kind.PODS, When.MADE) {
        @Override
        public String answer(Review review) {
            review.cluster().resourceGroups().complete(review.present(), review.namespace());
            return "";
        }
    },
    MUTATE_QUEUES("/queues/mutate", "mutatequeue", Kind.QUEUES, When.MADE) {
        @Override
        public String answer(Review review) {
            QueueRules.complete(review.present());
            return "";
        }
    },
    VALIDATE_JOBS("/jobs/validate", "validatejob", Kind.JOBS, When.WRITTEN) {
        @Override
        public String answer(Review review) {
            ObjectNode old = review.old();
            return review.operation() == Operation.UPDATE && old != null
                    ? JobUpdateRules.refusal(review.present(), old)
                    : JobRules.refusal(review.present(), review.cluster().queues());
        }

        @Override
        public List<String> warnings(Review review) {
            return review.operation() == Operation.CREATE
                    ? JobPlugins.complaints(new VolcanoJob(review.present()))
                    : List.of();
        }
    },
    VALIDATE_POD_GROUPS("/podgroups/validate", "validatepodgroup", Kind.POD_GROUPS, When.MADE) {
        @Override
        public String answer(Review review) {
            return PodGroupRules.refusal(review.present(), review.cluster()::queue);
        }
    },
    VALIDATE_PODS("/pods/validate", "validatepod", Kind.PODS, When.MADE) {
        @Override
        public String answer(Review review) {
            return GangPodRules.refusal(review.present(), review.cluster().schedulers());
        }
    },
    VALIDATE_QUEUES("/queues/validate", "validatequeue", Kind.QUEUES, When.EVER) {
        @Override
        public String answer(Review review) {
            return review.operation() == Operation.DELETE
                    ? QueueRules.refusalOfDeletion(
                            review.name(), review.cluster().queues())
                    : QueueRules.refusal(
                            review.present(), review.old(), review.cluster().queues());
        }
    },
    VALIDATE_JOB_FLOWS("/jobflows/validate", "validatejobflow", Kind.JOB_FLOWS, When.WRITTEN) {
        @Override
        public String answer(Review review) {
            return JobFlowRules.refusal(review.present());
        }
    },
    VALIDATE_HYPER_NODES("/hypernodes/validate", "validatehypernodes", Kind.HYPER_NODES, When.WRITTEN) {
        @Override
        public String answer(Review review) {
            return HyperNodeRules.refusal(review.present());
        }
    },
    VALIDATE_CRON_JOBS("/cronjobs/validate", "validatecronjob", Kind.CRON_JOBS, When.WRITTEN) {
        @Override
        public String answer(Review review) {
            String refusal = CronJobRules.refusal(review.present());
            // Upstream tells the space in front only to those who change one.
            return review.operation() == Operation.CREATE ? refusal.strip() : refusal;
        }
    };

    /** When a webhook is asked. */
    private enum When {
        MADE,
        WRITTEN,
        EVER;

        boolean has(Operation operation) {
            return switch (operation) {
                case CREATE -> true;
                case UPDATE -> this != MADE;
                case DELETE -> this == EVER;
                case CONNECT -> false;
            };
        }
    }

    /** What they are asked about. */
    private enum Kind {
        JOBS("batch.volcano.sh", "v1alpha1", "jobs"),
        CRON_JOBS("batch.volcano.sh", "v1alpha1", "cronjobs"),
        JOB_FLOWS("flow.volcano.sh", "v1alpha1", "jobflows"),
        POD_GROUPS("scheduling.volcano.sh", "v1beta1", "podgroups"),
        QUEUES("scheduling.volcano.sh", "v1beta1", "queues"),
        HYPER_NODES("topology.volcano.sh", "v1alpha1", "hypernodes"),
        PODS("", "v1", "pods");

        private final String group;
        private final String version;
        private final String resource;
        /** Asked for with every write. */
        private final String bucket;

        Kind(String group, String version, String resource) {
            this.group = group;
            this.version = version;
            this.resource = resource;
            this.bucket = target().bucket();
        }

        Target target() {
            return new Target(group, version, resource);
        }
    }

    private final String path;
    private final String title;
    private final Kind kind;
    private final When when;

    VolcanoWebhook(String path, String title, Kind kind, When when) {
        this.path = path;
        this.title = title;
        this.kind = kind;
        this.when = when;
    }

    /** Upstream leaves what it has to say in a log. */
    @Override
    public List<String> warnings(Review review) {
        return List.of();
    }

    @Override
    public void tellRefusal(ObjectNode status) {
        // Upstream's has its message only.
    }

    @Override
    public boolean isMutating() {
        return path.endsWith("/mutate");
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String title() {
        return title + ".volcano.sh";
    }

    @Override
    public String configuration() {
        return "volcano-admission-service" + path.replace('/', '-');
    }

    @Override
    public boolean sparesSystem() {
        return true;
    }

    @Override
    public Target target() {
        return kind.target();
    }

    @Override
    public List<Operation> operations() {
        return Arrays.stream(Operation.values()).filter(when::has).toList();
    }

    boolean isAbout(String bucket, Operation operation) {
        return when.has(operation) && kind.bucket.equals(bucket);
    }
}
