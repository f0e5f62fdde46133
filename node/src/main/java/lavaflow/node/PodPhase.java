package lavaflow.node;

/** How a pod stands. */
public enum PodPhase {
    PENDING("Pending"),
    RUNNING("Running"),
    SUCCEEDED("Succeeded"),
    FAILED("Failed");

    private final String word;

    PodPhase(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    public boolean isOver() {
        return this == SUCCEEDED || this == FAILED;
    }
}
