package lavaflow.scheduler;

/** A pod and what it has in common with others. */
record PlacedPod(ScheduledPod pod, PodClass type) {}
