package lavaflow.access;

import java.util.List;

/** Reads one kind of bearer tokens. */
public interface TokenAuthenticator {
    /** What a token turned out to be. */
    sealed interface Outcome {}

    /**
     * A good token.
     *
     * @param audiences those of the wanted audiences it is for; empty where the token does not say
     */
    record Good(User user, List<String> audiences, Remarks remarks) implements Outcome {
        public Good(User user, List<String> audiences) {
            this(user, audiences, Remarks.NONE);
        }
    }

    /** A token of another kind. */
    record NotMine() implements Outcome {}

    /** A token of this kind that is not good. */
    record Bad(String why) implements Outcome {}

    Outcome NOT_MINE = new NotMine();

    /**
     * Looks at a token.
     *
     * @param audiences for whom it must be, at least one of them; never empty
     */
    Outcome authenticate(String token, List<String> audiences);
}
