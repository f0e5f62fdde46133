package lavaflow.placement;

/** Something is wrong with a claim or a class, so that looking at other nodes is of no use. In the words of kube-scheduler. */
final class DeviceTrouble extends Exception {
    private static final long serialVersionUID = 1;

    DeviceTrouble(String message) {
        super(message);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
