package lavaflow.access;

import java.util.ArrayList;
import java.util.List;

/** Decides what a user may. Implementations are called by many threads, once or more for every request. */
public interface Authorizer {
    sealed interface Decision {
        String reason();

        default boolean allowed() {
            return this instanceof Allow;
        }
    }

    record Allow(String reason) implements Decision {}

    /** Nobody else is asked. */
    record Deny(String reason) implements Decision {}

    /** Somebody else may allow it; if nobody does it is refused, with this reason where there is one. */
    record NoOpinion(String reason) implements Decision {}

    Decision ALLOW = new Allow("");
    Decision NO_OPINION = new NoOpinion("");

    Decision decide(User user, Attributes attributes);

    /** Members of system:masters may do everything; who else asks is told nothing. */
    static Authorizer masters() {
        return (user, _) -> user.isMaster() ? ALLOW : NO_OPINION;
    }

    /** Asks one after the other until one is certain. */
    static Authorizer chain(List<Authorizer> authorizers) {
        List<Authorizer> all = List.copyOf(authorizers);
        return (user, attributes) -> {
            List<String> reasons = new ArrayList<>();
            for (Authorizer authorizer : all) {
                Decision decision = authorizer.decide(user, attributes);
                if (!(decision instanceof NoOpinion)) {
                    return decision;
                }
                if (!decision.reason().isEmpty()) {
                    reasons.add(decision.reason());
                }
            }
            return reasons.isEmpty() ? NO_OPINION : new NoOpinion(String.join("\n", reasons));
        };
    }
}
