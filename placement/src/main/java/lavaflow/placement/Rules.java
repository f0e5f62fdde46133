package lavaflow.placement;

/**
 * Which of kube-scheduler's rules hold. That a node is known and not cordoned always counts.
 *
 * @param volumeLimits how many volumes of a driver a node can have
 * @param volumeZones that volumes are in the zone of the node
 * @param volumeBinding that claims have, or can have, a volume the node reaches
 */
public record Rules(
        boolean nodeAffinity,
        boolean ports,
        boolean taints,
        boolean podAffinity,
        boolean volumeLimits,
        boolean volumeZones,
        boolean spread,
        boolean volumeBinding) {
    public static final Rules ALL = new Rules(true, true, true, true, true, true, true, true);

    /** Whether all hold that depend on nothing but the node. */
    boolean allOfNode() {
        return nodeAffinity && taints;
    }
}
