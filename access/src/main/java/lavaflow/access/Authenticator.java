package lavaflow.access;

/** Tells who a client is from what it showed. Implementations are called by many threads. */
public interface Authenticator {
    /** What an authenticator makes of a request. */
    sealed interface Outcome {}

    /** The user is known. */
    record Authenticated(User user, Remarks remarks) implements Outcome {
        public Authenticated(User user) {
            this(user, Remarks.NONE);
        }
    }

    /** Nothing was shown that this authenticator reads. */
    record Absent() implements Outcome {}

    /**
     * Something was shown, and it is not good.
     *
     * @param why for the log and for reviews of tokens; never holds the credential
     */
    record Refused(String why) implements Outcome {}

    Outcome ABSENT = new Absent();

    Outcome authenticate(Presented presented);
}
