package lavaflow.training;

import java.util.Set;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * How long a job may run and what remains of it.
 *
 * @param cleaning which pods go when it has ended
 * @param secondsToKeep how long it stays afterwards; null for ever
 * @param deadlineSeconds how long it may run; null for ever
 * @param backoffLimit how often replicas may be restarted; null for ever
 * @param scheduling for gangs; null if nothing is said
 */
record RunPolicy(
        Cleaning cleaning,
        @Nullable Long secondsToKeep,
        @Nullable Long deadlineSeconds,
        @Nullable Long backoffLimit,
        boolean suspended,
        String managedBy,
        @Nullable ObjectNode scheduling) {
    static final String OPERATOR = "kubeflow.org/training-operator";
    static final String MPI_OPERATOR = "kubeflow.org/mpi-operator";
    static final String MULTI_KUEUE = "kueue.x-k8s.io/multikueue";

    /** Those who may be named; all but us mean that the job is none of our business. */
    private static final Set<String> US = Set.of("", OPERATOR, MPI_OPERATOR);

    /** Which pods go when a job has ended. */
    enum Cleaning {
        NONE,
        RUNNING,
        ALL;

        /** Upstream takes every word it does not know for {@code All}. */
        static Cleaning of(String word) {
            return switch (word) {
                case "", "None" -> NONE;
                case "Running" -> RUNNING;
                default -> ALL;
            };
        }

        boolean takes(TrainingPod pod) {
            return switch (this) {
                case NONE -> false;
                case RUNNING -> pod.isRunning() || pod.isPending();
                case ALL -> true;
            };
        }
    }

    static RunPolicy of(@Nullable JsonNode policy) {
        return new RunPolicy(
                Cleaning.of(Json.textAt(policy, "cleanPodPolicy")),
                number(policy, "ttlSecondsAfterFinished"),
                number(policy, "activeDeadlineSeconds"),
                number(policy, "backoffLimit"),
                Json.flagAt(policy, "suspend"),
                Json.textAt(policy, "managedBy"),
                Json.objectAt(policy, "schedulingPolicy"));
    }

    static @Nullable Long number(@Nullable JsonNode object, String field) {
        JsonNode value = Json.at(object, field);
        return value == null || !value.isNumber() ? null : value.asLong();
    }

    boolean isOurs() {
        return US.contains(managedBy);
    }
}
