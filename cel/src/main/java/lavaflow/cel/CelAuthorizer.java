package lavaflow.cel;

import org.jspecify.annotations.Nullable;

/** Answers the authorization checks of expressions ({@code authorizer.group('').resource('pods').check('create').allowed()}). */
@FunctionalInterface
public interface CelAuthorizer {
    /** A question: either a path, or a resource. The user is null for the one who makes the request, else a service account. */
    record Check(
            String verb,
            @Nullable String path,
            String group,
            String resource,
            String subresource,
            String namespace,
            String name,
            @Nullable String fieldSelector,
            @Nullable String labelSelector,
            @Nullable ServiceAccount serviceAccount) {}

    /** A service account asked about in place of the requesting user. */
    record ServiceAccount(String namespace, String name) {}

    /** The answer: {@code error} is the text of the failure if the question could not be answered. */
    record Decision(
            boolean allowed, String reason, @Nullable String error) {}

    Decision decide(Check check);
}
