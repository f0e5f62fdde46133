package lavaflow;

import java.util.List;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.batch.Batch;
import lavaflow.batch.HyperNodeRules;
import lavaflow.batch.PodGroupRules;
import lavaflow.batch.QueueRules;
import lavaflow.controller.KubeApi;
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
    MUTATE_JOBS("/jobs/mutate", "mutatejob", Kind.JOBS, When.WRITTEN) {
        @Override
        String refusal(Review review) {
            String unreadable = JobRules.unreadable(review.present());
            if (!unreadable.isEmpty()) {
                return unreadable;
            }
            if (review.operation() == Operation.CREATE) {
                JobDefaults.complete(review.present(), review.cluster().scheduler());
            } else {
                JobDefaults.completeTasks(review.present());
            }
            return "";
        }
    },
    MUTATE_POD_GROUPS("/podgroups/mutate", "mutatepodgroup", Kind.POD_GROUPS, When.MADE) {
        @Override
        String refusal(Review review) {
            PodGroupRules.complete(review.present(), review.cluster().find(NAMESPACES, "", review.namespace()));
            return "";
        }
    },
    MUTATE_PODS("/pods/mutate", "mutatepod", Kind.PODS, When.MADE) {
        @Override
        String refusal(Review review) {
            review.cluster().resourceGroups().complete(review.present(), review.namespace());
            return "";
        }
    },
    MUTATE_QUEUES("/queues/mutate", "mutatequeue", Kind.QUEUES, When.MADE) {
        @Override
        String refusal(Review review) {
            QueueRules.complete(review.present());
            return "";
        }
    },
    VALIDATE_JOBS("/jobs/validate", "validatejob", Kind.JOBS, When.WRITTEN) {
        @Override
        String refusal(Review review) {
            ObjectNode old = review.old();
            return review.operation() == Operation.UPDATE && old != null
                    ? JobUpdateRules.refusal(review.present(), old)
                    : JobRules.refusal(review.present(), review.cluster().queues());
        }

        @Override
        List<String> warnings(Review review) {
            return review.operation() == Operation.CREATE
                    ? JobPlugins.complaints(new VolcanoJob(review.present()))
                    : List.of();
        }
    },
    VALIDATE_POD_GROUPS("/podgroups/validate", "validatepodgroup", Kind.POD_GROUPS, When.MADE) {
        @Override
        String refusal(Review review) {
            return PodGroupRules.refusal(
                    review.present(), name -> review.cluster().find(Batch.QUEUES, "", name));
        }
    },
    VALIDATE_PODS("/pods/validate", "validatepod", Kind.PODS, When.MADE) {
        @Override
        String refusal(Review review) {
            return GangPodRules.refusal(review.present(), review.cluster().schedulers());
        }
    },
    VALIDATE_QUEUES("/queues/validate", "validatequeue", Kind.QUEUES, When.EVER) {
        @Override
        String refusal(Review review) {
            return review.operation() == Operation.DELETE
                    ? QueueRules.refusalOfDeletion(
                            review.name(), review.cluster().queues())
                    : QueueRules.refusal(
                            review.present(), review.old(), review.cluster().queues());
        }
    },
    VALIDATE_JOB_FLOWS("/jobflows/validate", "validatejobflow", Kind.JOB_FLOWS, When.WRITTEN) {
        @Override
        String refusal(Review review) {
            return JobFlowRules.refusal(review.present());
        }
    },
    VALIDATE_HYPER_NODES("/hypernodes/validate", "validatehypernodes", Kind.HYPER_NODES, When.WRITTEN) {
        @Override
        String refusal(Review review) {
            return HyperNodeRules.refusal(review.present());
        }
    },
    VALIDATE_CRON_JOBS("/cronjobs/validate", "validatecronjob", Kind.CRON_JOBS, When.WRITTEN) {
        @Override
        String refusal(Review review) {
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

        List<Operation> operations() {
            return switch (this) {
                case MADE -> List.of(Operation.CREATE);
                case WRITTEN -> List.of(Operation.CREATE, Operation.UPDATE);
                case EVER -> List.of(Operation.CREATE, Operation.UPDATE, Operation.DELETE);
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

        Kind(String group, String version, String resource) {
            this.group = group;
            this.version = version;
            this.resource = resource;
        }

        Target target() {
            return new Target(group, version, resource);
        }
    }

    private static final KubeApi.Kind NAMESPACES = KubeApi.Kind.clusterWide("namespaces");

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

    /** Why not; empty if so. */
    abstract String refusal(Review review);

    /** Upstream leaves most of what it has to say in a log. */
    List<String> warnings(Review review) {
        return List.of();
    }

    @Override
    public Answer answer(Review review) {
        String refusal = refusal(review);
        return new Answer(refusal, refusal.isEmpty() ? warnings(review) : List.of());
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
        return when.operations();
    }
}
