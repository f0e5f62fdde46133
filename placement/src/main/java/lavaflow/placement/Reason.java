package lavaflow.placement;

/** Why a node cannot take a pod, in the words of kube-scheduler. */
public enum Reason {
    /** Told of nodes that need not be looked at, because the pod names those it wants. */
    NOT_NAMED("node(s) didn't satisfy plugin(s) [NodeAffinity]", false),
    UNSCHEDULABLE("node(s) were unschedulable", false),
    TAINTED("node(s) had untolerated taint(s)", false),
    AFFINITY("node(s) didn't match Pod's node affinity/selector", false),
    PORTS("node(s) didn't have free ports for the requested pod ports", true),
    /** Told by the resources that are missing. */
    RESOURCES("Insufficient", true),
    CLAIM_IN_USE(
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
            true),
    VOLUME_COUNT("node(s) exceed max volume count", true),
    VOLUME_CONFLICT("node(s) didn't match PersistentVolume's node affinity", false),
    NO_VOLUME("node(s) didn't find available persistent volumes to bind", false),
    STORAGE_FULL("node(s) did not have enough free storage", false),
    LOST_VOLUME("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", false),
    VOLUME_ZONE("node(s) had no available volume zone", false),
    SPREAD_LABEL("node(s) didn't match pod topology spread constraints (missing required label)", false),
    SPREAD("node(s) didn't match pod topology spread constraints", true),
    POD_AFFINITY("node(s) didn't match pod affinity rules", false),
    POD_ANTI_AFFINITY("node(s) didn't match pod anti-affinity rules", true),
    EXISTING_ANTI_AFFINITY("node(s) didn't satisfy existing pods anti-affinity rules", true),
    DEVICES("cannot allocate all claims", false),
    DEVICES_ELSEWHERE("resourceclaim not available on the node", false),
    STALE_CLAIM("cannot schedule extended resource claim", false),
    DEVICE_POOLS("invalid resource pools were encountered", false);

    private final String message;
    private final boolean preemptionHelps;

    Reason(String message, boolean preemptionHelps) {
        this.message = message;
        this.preemptionHelps = preemptionHelps;
    }

    public String message() {
        return message;
    }

    /** Whether the node might take the pod once others are gone. */
    public boolean preemptionHelps() {
        return preemptionHelps;
    }
}
