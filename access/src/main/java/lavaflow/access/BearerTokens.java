package lavaflow.access;

import java.util.ArrayList;
import java.util.List;

/** Tells who a bearer token belongs to, by asking everyone who reads some kind of token. */
public final class BearerTokens implements Authenticator {
    /** As the review of a token shows it. */
    public record Review(TokenAuthenticator.Outcome outcome, String error) {}

    private static final String INVALID = "invalid bearer token";

    private final List<TokenAuthenticator> readers;
    private final List<String> audiences;

    /**
     * @param audiences the names of this server, which tokens must be meant for
     */
    public BearerTokens(List<TokenAuthenticator> readers, List<String> audiences) {
        this.readers = List.copyOf(readers);
        this.audiences = List.copyOf(audiences);
    }

    public List<String> audiences() {
        return audiences;
    }

    /** Only the first header counts, as upstream. */
    @Override
    public Outcome authenticate(Presented presented) {
        if (presented.authorization().isEmpty()) {
            return ABSENT;
        }
        String[] parts = presented.authorization().getFirst().strip().split(" ", 3);
        if (parts.length < 2 || !parts[0].equalsIgnoreCase("bearer") || parts[1].isEmpty()) {
            return ABSENT;
        }
        Review review = review(parts[1], audiences);
        return review.outcome() instanceof TokenAuthenticator.Good good
                ? new Authenticated(good.user(), good.remarks())
                : new Refused(review.error());
    }

    /** Looks at a token that somebody else was shown. */
    public Review review(String token, List<String> wanted) {
        List<String> errors = new ArrayList<>(List.of(INVALID));
        for (TokenAuthenticator reader : readers) {
            switch (reader.authenticate(token, wanted)) {
                case TokenAuthenticator.Good good -> {
                    return new Review(good, "");
                }
                case TokenAuthenticator.Bad bad -> errors.add(bad.why());
                case TokenAuthenticator.NotMine _ -> {}
            }
        }
        String error = errors.size() == 1 ? INVALID : "[" + String.join(", ", errors) + "]";
        return new Review(TokenAuthenticator.NOT_MINE, error);
    }
}
