package lavaflow.kubelet;

/** A container cannot be made from what its pod says; the message is for the pod's status. */
final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    ConfigurationException(String message) {
        super(message);
    }

    ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}
