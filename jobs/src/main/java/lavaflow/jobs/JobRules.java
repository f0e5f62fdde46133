package lavaflow.jobs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which new Jobs are refused, in the words of Volcano's webhook, which says all it finds in one line. Functions of values. */
public final class JobRules {
    static final String TWO_TIERS =
            "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";

    private final VolcanoJob job;
    private final List<ObjectNode> queues;
    private final StringBuilder problems = new StringBuilder();

    private JobRules(VolcanoJob job, List<ObjectNode> queues) {
        this.job = job;
        this.queues = queues;
    }

    /**
     * Why a new Job may not be made; empty if it may.
     *
     * @param queues every queue there is
     */
    public static String refusal(ObjectNode job, List<ObjectNode> queues) {
        return new JobRules(new VolcanoJob(job), queues).refusal();
    }

    /** What of a Job nobody could read although its definition allows it: lengths of time that are none. Empty if there is nothing. */
    public static String unreadable(ObjectNode job) {
        List<JsonNode> times = new ArrayList<>();
        times.add(job.path("spec").path("runningEstimate"));
        Json.listAt(job, "spec", "policies").forEach(policy -> times.add(policy.path("timeout")));
        Json.listAt(job, "spec", "tasks")
                .forEach(task -> Json.listAt(task, "policies").forEach(policy -> times.add(policy.path("timeout"))));
        for (JsonNode time : times) {
            try {
                if (time.isTextual()) {
                    GoDuration.parse(time.asText());
                }
            } catch (MalformedException e) {
                return String.valueOf(e.getMessage());
            }
        }
        return "";
    }

    private String refusal() {
        if (job.tasks().isEmpty()) {
            return "No task specified in job spec";
        }
        String missing = missingTaskOfMpi();
        if (!missing.isEmpty()) {
            return missing;
        }
        problems.append(topology(Json.at(job.object(), "spec", "networkTopology")));
        tasks();
        List<String> name = Names.qualifiedName(job.name());
        if (!name.isEmpty()) {
            problems.append("create job with name ")
                    .append(job.name())
                    .append(" validate failed ")
                    .append(shown(name));
        }
        if (job.replicas() < job.minAvailable()) {
            problems.append(" job 'minAvailable' should not be greater than total replicas in tasks;");
        }
        problems.append(PolicyRules.refusal(Json.listAt(job.object(), "spec", "policies"), "spec.policies"));
        job.plugins().keySet().stream()
                .filter(plugin -> !JobPlugins.has(plugin))
                .forEach(plugin -> problems.append(" unable to find job plugin: ")
                        .append(plugin)
                        .append(";"));
        volumes();
        queue();
        if (TaskGraph.hasDependencies(job) && !TaskGraph.isAcyclic(job)) {
            problems.append(" job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
        }
        return problems.toString().strip();
    }

    private String missingTaskOfMpi() {
        List<String> arguments = job.plugins().get("mpi");
        if (arguments == null) {
            return "";
        }
        MpiPlugin mpi = new MpiPlugin(arguments);
        if (job.findTask(mpi.master()).isEmpty()) {
            return "The specified mpi master task was not found";
        }
        return job.findTask(mpi.worker()).isEmpty() ? "The specified mpi worker task was not found" : "";
    }

    static String topology(@Nullable JsonNode topology) {
        boolean both = Json.at(topology, "highestTierAllowed") != null
                && !Json.textAt(topology, "highestTierName").isEmpty();
        return both ? TWO_TIERS : "";
    }

    private void tasks() {
        Set<String> names = new HashSet<>();
        int index = 0;
        for (Task task : job.tasks()) {
            if (task.minAvailable().isPresent() && task.minAvailable().getAsLong() > task.replicas()) {
                problems.append(" 'minAvailable' is greater than 'replicas' in task: ")
                        .append(task.name())
                        .append(", job: ")
                        .append(job.name())
                        .append(";");
            }
            if (!names.add(task.name())) {
                problems.append(" duplicated task name ").append(task.name()).append(";");
                return;
            }
            problems.append(PolicyRules.refusal(Json.listAt(task.spec(), "policies"), "spec.tasks.policies"));
            String pod = job.podName(task, index);
            List<String> name = Names.qualifiedName(pod);
            if (!name.isEmpty()) {
                problems.append("create pod with name ")
                        .append(pod)
                        .append(" validate failed ")
                        .append(shown(name))
                        .append(";");
            }
            problems.append(TaskRules.template(task, index)).append(TaskRules.partitions(task, job));
            index++;
        }
    }

    private void volumes() {
        Set<String> paths = new HashSet<>();
        List<JobVolume> volumes = JobVolume.of(job);
        boolean claims = volumes.stream().anyMatch(JobVolume::claims);
        for (JobVolume volume : volumes) {
            String path = volume.mountPath();
            String claim = volume.claimName();
            List<String> name = claim.isEmpty() ? List.of() : Names.dns1123Subdomain(claim);
            String wrong = "";
            if (path.isEmpty()) {
                wrong = " mountPath is required;";
            } else if (paths.contains(path)) {
                wrong = " duplicated mountPath: " + path + ";";
            } else if (!claims) {
                // Beside a volume with a claim, one without is an empty directory; where none has one it was forgotten.
                wrong = " either VolumeClaim or VolumeClaimName must be specified;";
            } else if (!claim.isEmpty()
                    && volume.claim() != null
                    && volume.claim().isEmpty()) {
                wrong = "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
                        + "If you want to create a new PVC, you do not need to specify VolumeClaimName";
            } else if (!name.isEmpty()) {
                wrong = "invalid VolumeClaimName " + claim + " : " + shown(name);
            }
            if (!wrong.isEmpty()) {
                problems.append(wrong);
                return;
            }
            paths.add(path);
        }
    }

    private void queue() {
        String name = job.queue();
        Optional<ObjectNode> found = queues.stream()
                .filter(queue -> Json.textAt(queue, "metadata", "name").equals(name))
                .findFirst();
        if (found.isEmpty()) {
            problems.append(" unable to find job queue: queue.scheduling.volcano.sh \"")
                    .append(name)
                    .append("\" not found;");
            return;
        }
        String state = Json.textAt(found.get(), "status", "state");
        // The controller has not looked at a queue without a state yet, and will find it open.
        if (!state.isEmpty() && !state.equals("Open")) {
            problems.append(" can only submit job to queue with state `Open`, queue `")
                    .append(name)
                    .append("` status is `")
                    .append(state)
                    .append("`;");
        }
        if (name.equals("root")) {
            problems.append(" can not submit job to root queue;");
            return;
        }
        long below = queues.stream()
                .filter(queue -> Json.textAt(queue, "spec", "parent").equals(name))
                .count();
        if (below > 0) {
            problems.append(" can only submit job to leaf queue, queue `")
                    .append(name)
                    .append("` has ")
                    .append(below)
                    .append(" child queues;");
        }
    }

    /** A list as Go prints it. */
    static String shown(List<String> list) {
        return "[" + String.join(" ", list) + "]";
    }
}
