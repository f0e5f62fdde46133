package lavaflow.audit;

/** A policy file that cannot be used, with the reason in upstream's words. */
public final class AuditPolicyException extends Exception {
    private static final long serialVersionUID = 1L;

    AuditPolicyException(String message) {
        super(message);
    }
}
