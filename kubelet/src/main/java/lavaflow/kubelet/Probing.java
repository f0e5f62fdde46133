package lavaflow.kubelet;

/** Asks containers how they are. */
interface Probing {
    /** Begins to ask a container; a second call for the same life changes nothing. */
    void begin(PodLife pod, PodView.Container container, Attempt attempt);

    /** Ends all asking of a life. */
    void end(String id);
}
