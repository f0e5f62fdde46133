package lavaflow.scheduler;

import java.util.List;

import lavaflow.placement.DeviceClaim;
import lavaflow.placement.ScheduledPod;
import lavaflow.placement.Volumes;

/** What the scheduler wants written. */
sealed interface Action {
    /** The pod goes to a node. */
    record Bind(ScheduledPod pod, String node) implements Action {}

    /** The pod would go to a node once it has its volumes there. */
    record ChooseVolumes(ScheduledPod pod, String node, List<Volumes.Choice> choices) implements Action {}

    /** The pod would go to a node once its devices can be used there. */
    record PrepareDevices(ScheduledPod pod, String node) implements Action {}

    /**
     * No node takes the pod.
     *
     * @param nominated the node where room is being made; empty if none
     */
    record Refuse(ScheduledPod pod, String message, String nominated) implements Action {}

    /** The pod had a node, but the volumes it needs there did not come. */
    record GiveUp(ScheduledPod pod, String node, String message) implements Action {}

    /** A less important pod has to go. */
    record Evict(ScheduledPod victim, ScheduledPod by, String node) implements Action {}

    /** A claim that keeps the pod from all nodes gives back its devices. */
    record Deallocate(DeviceClaim claim) implements Action {}

    /** A claim that was made for what a pod's containers ask for is of no use. */
    record DeleteClaim(DeviceClaim claim) implements Action {}

    /** A pod that was to come to a node has to look again. */
    record Displace(ScheduledPod pod) implements Action {}
}
