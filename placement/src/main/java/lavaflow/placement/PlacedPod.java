package lavaflow.placement;

/** A pod and what it has in common with others. */
public record PlacedPod(ScheduledPod pod, PodClass type) {}
