package lavaflow.gang;

import java.time.Instant;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.kube.PodRequests;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What scheduling needs to know of a pod of a gang, beyond what choosing a node does.
 *
 * @param group the name of its PodGroup, empty if none
 * @param role which task of the job it is
 * @param index the number its name ends with, -1 if none
 * @param gated may not be given a node yet
 * @param scheduled when it got its node; null if not yet
 * @param ours may be given a node by this scheduler
 * @param owned whether something controls it that makes another in its place when it is gone
 */
public record MemberSpec(
        ScheduledPod pod,
        String group,
        String role,
        int index,
        int priority,
        boolean preemptable,
        boolean gated,
        boolean ours,
        boolean owned,
        boolean bestEffort,
        String phase,
        String priorityClass,
        @Nullable Instant scheduled,
        ObjectNode annotations) {
    static final String GROUP = "scheduling.k8s.io/group-name";
    private static final String GROUP_LABEL = "scheduling.x-k8s.io/pod-group";
    private static final String ROLE = "volcano.sh/task-spec";
    private static final String PRIORITY = "volcano.sh/task-priority";
    static final String PREEMPTABLE = "volcano.sh/preemptable";
    /** Of a pod that says nothing. */
    private static final int USUAL_PRIORITY = 1;

    /** Reads an object of the API. */
    public static MemberSpec of(ObjectNode object, Set<String> schedulers) {
        JsonNode spec = Json.at(object, "spec");
        ObjectNode annotations = GroupSpec.orEmpty(Json.objectAt(object, "metadata", "annotations"));
        ScheduledPod pod = ScheduledPod.of(object);
        return new MemberSpec(
                pod,
                group(object, spec, annotations),
                Json.textAt(annotations, ROLE),
                index(pod.name()),
                priority(spec, annotations),
                preemptable(object, annotations),
                !Json.listAt(spec, "schedulingGates").isEmpty(),
                schedulers.contains(Json.textAt(spec, "schedulerName")),
                owned(object),
                PodRequests.of(spec).values().stream().allMatch(amount -> amount == 0),
                Json.textAt(object, "status", "phase"),
                Json.textAt(spec, "priorityClassName"),
                scheduled(object),
                annotations);
    }

    private static boolean owned(ObjectNode object) {
        for (JsonNode reference : Json.listAt(object, "metadata", "ownerReferences")) {
            if (Json.flagAt(reference, "controller")) {
                return true;
            }
        }
        return false;
    }

    /** By Volcano's annotation, or else by the label of kube-scheduler's plugin, or by Kubernetes' own field. */
    private static String group(ObjectNode object, @Nullable JsonNode spec, ObjectNode annotations) {
        String named = Json.textAt(annotations, GROUP);
        if (named.isEmpty()) {
            named = Json.textAt(object, "metadata", "labels", GROUP_LABEL);
        }
        return named.isEmpty() ? Json.textAt(spec, "schedulingGroup", "podGroupName") : named;
    }

    private static @Nullable Instant scheduled(ObjectNode object) {
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("PodScheduled")
                    && Json.textAt(condition, "status").equals("True")) {
                return GroupSpec.time(Json.textAt(condition, "lastTransitionTime"));
            }
        }
        return null;
    }

    private static int priority(@Nullable JsonNode spec, ObjectNode annotations) {
        String own = Json.textAt(annotations, PRIORITY);
        if (!own.isEmpty()) {
            try {
                return Integer.parseInt(own);
            } catch (NumberFormatException e) {
                // As if it were not there.
            }
        }
        return (int) Json.longAt(spec, USUAL_PRIORITY, "priority");
    }

    /** A pod may have to go unless it says otherwise; what cannot be read is a no. */
    private static boolean preemptable(ObjectNode object, ObjectNode annotations) {
        String own = Json.textAt(annotations, PREEMPTABLE);
        String mark = own.isEmpty() ? Json.textAt(object, "metadata", "labels", PREEMPTABLE) : own;
        return mark.isEmpty() || mark.equals("true");
    }

    private static int index(String name) {
        int dash = name.lastIndexOf('-');
        String digits = name.substring(dash + 1);
        boolean number =
                !digits.isEmpty() && digits.length() < 10 && digits.chars().allMatch(Character::isDigit);
        return dash >= 0 && number ? Integer.parseInt(digits) : -1;
    }

    /**
     * The same with words in common with others: many pods of a gang say the same, and each word is read anew for each of them.
     *
     * @param same what is known of the pod already
     * @param peer another pod of the gang; null if there is none
     */
    MemberSpec sharing(ScheduledPod same, GroupSpec gang, @Nullable MemberSpec peer) {
        return new MemberSpec(
                same,
                gang.name(),
                peer != null && peer.role.equals(role) ? peer.role : role,
                index,
                priority,
                preemptable,
                gated,
                ours,
                owned,
                bestEffort,
                phase.intern(),
                peer != null && peer.priorityClass.equals(priorityClass) ? peer.priorityClass : priorityClass,
                scheduled,
                peer != null && peer.annotations.equals(annotations) ? peer.annotations : annotations);
    }

    /** Whether another differs in nothing that matters for a pod without a node. */
    boolean saysTheSame(MemberSpec other) {
        return stage() == other.stage()
                && pod.key().equals(other.pod.key())
                && pod.node().equals(other.pod.node())
                && group.equals(other.group)
                && role.equals(other.role)
                && priority == other.priority
                && preemptable == other.preemptable
                && gated == other.gated
                && ours == other.ours
                && priorityClass.equals(other.priorityClass)
                && annotations.equals(other.annotations);
    }

    /** The same with another view of the pod. */
    MemberSpec with(ScheduledPod other) {
        return new MemberSpec(
                other,
                group,
                role,
                index,
                priority,
                preemptable,
                gated,
                ours,
                owned,
                bestEffort,
                phase,
                priorityClass,
                scheduled,
                annotations);
    }

    /** Another pod like this one, new and without a node. */
    public MemberSpec another(String name) {
        return new MemberSpec(
                pod.another(name),
                group,
                role,
                index(name),
                priority,
                preemptable,
                gated,
                ours,
                owned,
                bestEffort,
                "Pending",
                priorityClass,
                null,
                annotations);
    }

    Stage stage() {
        boolean placed = !pod.node().isEmpty();
        return switch (phase) {
            case "Running" -> pod.deleting() ? Stage.RELEASING : Stage.RUNNING;
            case "Succeeded" -> Stage.SUCCEEDED;
            case "Failed" -> Stage.FAILED;
            case "Unknown" -> Stage.UNKNOWN;
            default -> pod.deleting() ? Stage.RELEASING : placed ? Stage.BOUND : Stage.PENDING;
        };
    }

    /** The namespace and name of its PodGroup. */
    String groupKey() {
        return pod.namespace() + "/" + group;
    }
}
