package lavaflow.audit;

/** Takes finished events. */
public interface AuditSink {
    /** Takes one line of JSON, without its end; false where it was lost and the request must not go on. */
    boolean accept(byte[] line);
}
