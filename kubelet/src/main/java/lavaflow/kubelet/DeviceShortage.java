package lavaflow.kubelet;

/** Why a pod cannot have its devices, in the words of kubelet's device manager. */
public final class DeviceShortage extends Exception {
    private static final long serialVersionUID = 1;

    /** The reason of a pod that failed for it. */
    public static final String REASON = "UnexpectedAdmissionError";

    DeviceShortage(String why) {
        super("Allocate failed due to " + why + ", which is unexpected");
    }
}
