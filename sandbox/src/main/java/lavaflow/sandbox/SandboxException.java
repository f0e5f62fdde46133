package lavaflow.sandbox;

/** Something could not be done, with a reason for whoever owns the pod. */
public final class SandboxException extends Exception {
    private static final long serialVersionUID = 1;

    /** What went wrong, as far as it decides what is told. */
    public enum Cause {
        /** The specification cannot be carried out: an unknown user, a mount that does not exist. */
        CONFIGURATION,
        /** The container could not be made. */
        CREATE,
        /** The program could not be executed. */
        START,
        /** There is no such container, or it does not run. */
        NOT_RUNNING,
        /** Anything else. */
        OTHER
    }

    private final Cause reason;

    public SandboxException(Cause reason, String message) {
        super(message);
        this.reason = reason;
    }

    public SandboxException(Cause reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    static SandboxException notFound(String container) {
        return new SandboxException(Cause.NOT_RUNNING, "container " + container + " not found");
    }

    /** As containerd says it. */
    static SandboxException noHandler(String handler) {
        return new SandboxException(
                Cause.CONFIGURATION,
                "rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for \"" + handler
                        + "\" is configured");
    }

    static SandboxException notRunning(String container) {
        return new SandboxException(Cause.NOT_RUNNING, "container " + container + " is not running");
    }

    public Cause reason() {
        return reason;
    }
}
