package lavaflow.gang;

import org.jspecify.annotations.Nullable;

/**
 * What is told of a gang at the end of a round.
 *
 * @param condition what holds now; null where there is nothing to be said
 */
public record GroupStatus(
        GroupPhase phase,
        int running,
        int succeeded,
        int failed,
        @Nullable Condition condition) {
    static final String UNSCHEDULABLE = "Unschedulable";
    private static final String SCHEDULED = "Scheduled";
    private static final String NOT_ENOUGH_RESOURCES = "NotEnoughResources";

    /** A condition of a PodGroup that is true. */
    public record Condition(String type, String reason, String message) {
        static Condition scheduled() {
            return new Condition(SCHEDULED, "tasks in gang are ready to be scheduled", "");
        }

        static Condition notEnough(String message) {
            return new Condition(UNSCHEDULABLE, NOT_ENOUGH_RESOURCES, message);
        }

        boolean isUnschedulable() {
            return type.equals(UNSCHEDULABLE);
        }
    }
}
