package lavaflow.fairness;

/** What became of a request that wanted to run. */
public sealed interface Admission {
    /** The object that classified the request. */
    String schemaUid();

    /** The level it belongs to. */
    String levelUid();

    /** It may run; closing gives its seats back, at once where that is done twice. */
    record Admitted(String schemaUid, String levelUid, Ticket ticket) implements Admission {}

    /** It may not. */
    record Refused(String schemaUid, String levelUid, Reason reason) implements Admission {}

    /** Why a request may not run; upstream's words in metrics. */
    enum Reason {
        QUEUE_FULL("queue-full"),
        CONCURRENCY_LIMIT("concurrency-limit"),
        TIME_OUT("time-out"),
        CANCELLED("cancelled");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** As metrics show it. */
        public String text() {
            return text;
        }
    }
}
