package lavaflow.training;

import java.util.List;
import java.util.Map;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What one framework's jobs have that others' have not: names, environment, when they have succeeded. Pure functions. */
sealed interface Framework permits TensorFlow, PyTorch, XGBoost, Paddle, Jax, Mpi {
    /**
     * The words of a framework.
     *
     * @param kind of its jobs
     * @param replicas the field of the spec that holds the replica specs
     * @param label under which it is counted
     * @param container whose ports and exit code count
     * @param portName of the port the replicas meet at
     * @param restartPolicy of replicas that say nothing
     * @param types of replicas, in the order they are looked at
     */
    record Words(
            String kind,
            String replicas,
            String label,
            String container,
            String portName,
            int port,
            String restartPolicy,
            List<String> types) {
        String plural() {
            return Training.lower(kind) + "s";
        }

        /** Who makes its pods. */
        String controller() {
            return Training.lower(kind) + "-controller";
        }

        KubeApi.Kind resource() {
            return new KubeApi.Kind(Training.GROUP, "v1", plural(), true);
        }
    }

    Words words();

    /** Whether a replica is the one whose log people ask for. */
    boolean isMaster(TrainingJob job, String type, int index);

    /** Puts what replicas need to find each other into a pod's spec. */
    void wire(TrainingJob job, String type, int index, ObjectNode podSpec, Settings settings);

    /** What the counts of a job's pods mean for it. */
    Verdict judge(TrainingJob job, Tally tally);

    /** The counts of a type as users see them. */
    default Counts shown(String type, Tally tally) {
        return tally.of(type);
    }

    /** Completes fields that only this framework has. */
    default void complete(ObjectNode spec) {}

    /** Whether statuses tell how to select a type's pods, for autoscalers. */
    default boolean tellsSelectors() {
        return false;
    }

    /** The event when a job is deleted after its time; some say Pod and mean the job. */
    default String deletionWord() {
        return "Job";
    }

    /** How many pods of a type are in which state. */
    record Counts(int active, int succeeded, int failed) {
        static final Counts NONE = new Counts(0, 0, 0);
    }

    /**
     * What there is of a job's pods.
     *
     * @param firstWorkerDone whether worker 0 has ended with success
     */
    record Tally(Map<String, Counts> byType, boolean firstWorkerDone) {
        Counts of(String type) {
            return byType.getOrDefault(type, Counts.NONE);
        }
    }

    /** What a job is, seen from its pods. */
    sealed interface Verdict {
        record Nothing() implements Verdict {}

        record Running(String message) implements Verdict {}

        record Restarting(String message) implements Verdict {}

        record Succeeded(String message) implements Verdict {}

        record Failed(String message) implements Verdict {}

        Verdict NOTHING = new Nothing();
    }
}
