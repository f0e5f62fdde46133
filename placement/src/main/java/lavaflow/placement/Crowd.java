package lavaflow.placement;

/** Where those pods are that a pod is to be spread with. */
public interface Crowd {
    int at(int slot);

    /** By number of the zone; valid until the next change. */
    int[] byZone(NodeTable nodes);
}
