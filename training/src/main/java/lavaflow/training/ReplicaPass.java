package lavaflow.training;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Step;
import lavaflow.kube.Json;

/** Looks at the pods and services of a job, type by type: what there is, what is missing, what is too much, what is broken. */
final class ReplicaPass {
    private static final int FIRST_RETRYABLE = 128;

    private final TrainingJob job;
    private final Observed seen;
    private final Map<String, Framework.Counts> counts = new LinkedHashMap<>();
    private final List<TrainingPod> broken = new ArrayList<>();
    private final List<String> restarting = new ArrayList<>();
    private final List<Notice> notices = new ArrayList<>();
    private final List<Step> deletions = new ArrayList<>();
    private final List<Missing> missing = new ArrayList<>();
    private boolean firstWorkerDone;
    private String lost = "";
    private int restarts;

    /** A place without its pod, or without its service. */
    private record Missing(TrainingJob.Replica replica, int index, boolean pod) {}

    ReplicaPass(TrainingJob job, Observed seen) {
        this.job = job;
        this.seen = seen;
        job.replicas().forEach(this::lookAt);
    }

    private void lookAt(TrainingJob.Replica replica) {
        Map<Integer, TrainingPod> places = new TreeMap<>();
        for (TrainingPod pod : seen.pods()) {
            if (pod.type().equals(replica.lower())) {
                places.put(Math.max(pod.index(), 0), pod);
            }
        }
        int active = 0;
        int succeeded = 0;
        int failed = 0;
        for (Map.Entry<Integer, TrainingPod> each : places.entrySet()) {
            TrainingPod pod = each.getValue();
            if (each.getKey() >= replica.count()) {
                delete(Training.PODS, pod.name(), pod.uid(), pod.deleting());
                continue;
            }
            active += pod.isRunning() && !pod.deleting() ? 1 : 0;
            succeeded += pod.hasSucceeded() ? 1 : 0;
            failed += pod.hasFailed() || (pod.isRunning() && pod.deleting()) ? 1 : 0;
            lookAt(replica, each.getKey(), pod);
        }
        counts.put(replica.type(), new Framework.Counts(active, succeeded, failed));
        Set<Integer> served = job.framework() instanceof Mpi ? null : services(replica);
        // A pod and its service in turn: a gang begins with its last pod, and by then can be found.
        for (int i = 0; i < replica.count(); i++) {
            if (!places.containsKey(i)) {
                missing.add(new Missing(replica, i, true));
            }
            if (served != null && !served.contains(i)) {
                missing.add(new Missing(replica, i, false));
            }
        }
    }

    private void lookAt(TrainingJob.Replica replica, int index, TrainingPod pod) {
        Integer code = pod.exits().get(job.framework().words().container());
        if (code != null && code != 0) {
            notices.add(new Notice(
                    false,
                    "ExitedWithCode",
                    "Pod: " + pod.namespace() + "." + pod.name() + " exited with code " + code,
                    pod.uid() + "/" + pod.restarts()));
        }
        if (replica.type().equals("Worker") && index == 0 && pod.hasSucceeded()) {
            firstWorkerDone = code == null || code == 0;
        }
        if (pod.isRunning() && replica.restarts()) {
            restarts += pod.restarts();
        }
        if (!pod.hasFailed() || !replica.restarts()) {
            return;
        }
        // Without a code the container did not end by itself: the pod was evicted, or its node went.
        boolean forGood = replica.restartPolicy().equals("ExitCode") && code != null && code < FIRST_RETRYABLE;
        if (forGood) {
            lost = lost.isEmpty() ? replica.type() : lost;
        } else {
            if (!restarting.contains(replica.type())) {
                restarting.add(replica.type());
            }
            if (!pod.deleting()) {
                broken.add(pod);
            }
        }
    }

    /** Which places have their services; those of no place go. */
    private Set<Integer> services(TrainingJob.Replica replica) {
        Map<Integer, TrainingService> places = new TreeMap<>();
        for (TrainingService service : seen.services()) {
            // One with our labels that is not ours has another name, and does no harm.
            if (service.type().equals(replica.lower()) && service.owner().equals(job.uid())) {
                places.put(service.index(), service);
            }
        }
        places.forEach((index, service) -> {
            if (index >= replica.count()) {
                delete(Training.SERVICES, service.name(), service.uid(), false);
            }
        });
        return places.keySet();
    }

    private void delete(KubeApi.Kind kind, String name, String uid, boolean already) {
        if (!already) {
            deletions.add(new Step.Delete(kind, job.namespace(), name, KubeApi.Deletion.ofUid(uid)));
        }
    }

    /** How often containers were restarted where they are. */
    int restarts() {
        return restarts;
    }

    /** Pods that have failed and may try again. */
    List<TrainingPod> broken() {
        return broken;
    }

    /** The type of a pod that failed for good, empty if none did. */
    String lost() {
        return lost;
    }

    /** The types with pods that try again. */
    List<String> restarting() {
        return restarting;
    }

    List<Notice> notices() {
        return notices;
    }

    Framework.Tally tally() {
        return new Framework.Tally(counts, firstWorkerDone);
    }

    List<Step> deletions() {
        return deletions;
    }

    /** Makes what is missing; pods and services side by side. */
    List<Step> creations(Gang gang, Settings settings) {
        List<Step> steps = new ArrayList<>();
        for (Missing each : missing) {
            steps.add(new Step.Create(
                    each.pod() ? Training.PODS : Training.SERVICES,
                    job.namespace(),
                    each.pod()
                            ? ReplicaForm.pod(job, each.replica(), each.index(), gang, settings)
                            : ReplicaForm.service(job, each.replica(), each.index())));
        }
        return steps;
    }

    /** What users should know about templates that pods were just made of. */
    List<Notice> templateNotices(Gang gang) {
        List<Notice> told = new ArrayList<>();
        String prefix = job.framework() instanceof Mpi ? "SettedPodTemplate" : "SetPodTemplate";
        for (Missing each : missing) {
            String policy = Json.textAt(each.replica().template(), "spec", "restartPolicy");
            if (each.pod() && !policy.isEmpty()) {
                told.add(new Notice(
                        true,
                        prefix + "RestartPolicy",
                        "Restart policy in pod template will be overwritten by restart policy in replica spec",
                        "restartPolicy"));
            }
            String scheduler = Json.textAt(each.replica().template(), "spec", "schedulerName");
            if (each.pod() && gang.isOn() && !scheduler.isEmpty() && !Objects.equals(scheduler, gang.scheduler())) {
                told.add(new Notice(
                        true,
                        prefix + "SchedulerName",
                        "Another scheduler is specified when gang-scheduling is enabled and it will not be"
                                + " overwritten",
                        "schedulerName"));
            }
        }
        return told.stream().distinct().toList();
    }
}
