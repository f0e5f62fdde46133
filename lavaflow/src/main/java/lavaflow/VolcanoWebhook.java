package lavaflow;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
import lavaflow.jobs.ResourceGroups;
import lavaflow.jobs.VolcanoJob;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The webhooks of Volcano: what each is asked about, and what it answers, wherever it runs. */
enum VolcanoWebhook {
    MUTATE_JOBS("/jobs/mutate", "mutatejob", Target.JOBS, When.MADE) {
        @Override
        String answer(Review review) {
            JobDefaults.complete(review.present(), review.cluster().scheduler());
            return "";
        }
    },
    MUTATE_POD_GROUPS("/podgroups/mutate", "mutatepodgroup", Target.POD_GROUPS, When.MADE) {
        @Override
        String answer(Review review) {
            PodGroupRules.complete(review.present(), review.cluster().namespace(review.namespace()));
            return "";
        }
    },
    MUTATE_PODS("/pods/mutate", "mutatepod", Target.PODS, When.MADE) {
        @Override
        String answer(Review review) {
            review.cluster().resourceGroups().complete(review.present(), review.namespace());
            return "";
        }
    },
    MUTATE_QUEUES("/queues/mutate", "mutatequeue", Target.QUEUES, When.MADE) {
        @Override
        String answer(Review review) {
            QueueRules.complete(review.present());
            return "";
        }
    },
    VALIDATE_JOBS("/jobs/validate", "validatejob", Target.JOBS, When.WRITTEN) {
        @Override
        String answer(Review review) {
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
    VALIDATE_POD_GROUPS("/podgroups/validate", "validatepodgroup", Target.POD_GROUPS, When.MADE) {
        @Override
        String answer(Review review) {
            return PodGroupRules.refusal(review.present(), review.cluster()::queue);
        }
    },
    VALIDATE_PODS("/pods/validate", "validatepod", Target.PODS, When.MADE) {
        @Override
        String answer(Review review) {
            return GangPodRules.refusal(review.present(), review.cluster().schedulers());
        }
    },
    VALIDATE_QUEUES("/queues/validate", "validatequeue", Target.QUEUES, When.EVER) {
        @Override
        String answer(Review review) {
            return review.operation() == Operation.DELETE
                    ? QueueRules.refusalOfDeletion(
                            review.name(), review.cluster().queues())
                    : QueueRules.refusal(
                            review.present(), review.old(), review.cluster().queues());
        }
    },
    VALIDATE_JOB_FLOWS("/jobflows/validate", "validatejobflow", Target.JOB_FLOWS, When.WRITTEN) {
        @Override
        String answer(Review review) {
            return JobFlowRules.refusal(review.present());
        }
    },
    VALIDATE_HYPER_NODES("/hypernodes/validate", "validatehypernodes", Target.HYPER_NODES, When.WRITTEN) {
        @Override
        String answer(Review review) {
            return HyperNodeRules.refusal(review.present());
        }
    },
    VALIDATE_CRON_JOBS("/cronjobs/validate", "validatecronjob", Target.CRON_JOBS, When.WRITTEN) {
        @Override
        String answer(Review review) {
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

    /** What a webhook is asked about. */
    enum Target {
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

        Target(String group, String version, String resource) {
            this.group = group;
            this.version = version;
            this.resource = resource;
        }

        String group() {
            return group;
        }

        String version() {
            return version;
        }

        String resource() {
            return resource;
        }

        /** What the store calls the objects of all versions of it. */
        String bucket() {
            return group.isEmpty() ? resource : group + "/" + resource;
        }
    }

    /** What webhooks know of the cluster. */
    interface Cluster {
        List<ObjectNode> queues();

        @Nullable
        ObjectNode queue(String name);

        @Nullable
        ObjectNode namespace(String name);

        /** Whose pods belong to gangs. */
        Set<String> schedulers();

        /** Who places the pods of Jobs that do not say it. */
        String scheduler();

        ResourceGroups resourceGroups();
    }

    /**
     * A question.
     *
     * @param object what is to be; null for a deletion
     * @param old what was; null for a creation
     */
    record Review(
            Operation operation,
            String namespace,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old,
            Cluster cluster) {
        ObjectNode present() {
            return object == null ? Json.object() : object;
        }

        String name() {
            return Json.textAt(object == null ? old : object, "metadata", "name");
        }
    }

    private final String path;
    private final String title;
    private final Target target;
    private final When when;

    VolcanoWebhook(String path, String title, Target target, When when) {
        this.path = path;
        this.title = title;
        this.target = target;
        this.when = when;
    }

    /** Why not; empty if so. One that mutates changes the object instead. */
    abstract String answer(Review review);

    /** What whoever asks should know although he gets his will. Upstream leaves it in a log. */
    List<String> warnings(Review review) {
        return List.of();
    }

    boolean isMutating() {
        return path.endsWith("/mutate");
    }

    /** Where upstream's server listens for it. */
    String path() {
        return path;
    }

    /** Its name in messages and configurations. */
    String title() {
        return title + ".volcano.sh";
    }

    Target target() {
        return target;
    }

    /** In the order in which they are declared. */
    List<Operation> operations() {
        return Arrays.stream(Operation.values()).filter(when::has).toList();
    }

    boolean isAbout(String bucket, Operation operation) {
        return when.has(operation) && target.bucket().equals(bucket);
    }

    static Optional<VolcanoWebhook> at(String path) {
        return Arrays.stream(values()).filter(each -> each.path.equals(path)).findFirst();
    }
}
