package lavaflow.apiserver;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import org.jspecify.annotations.Nullable;

/**
 * Which part of a log is wanted, from the query, checked as upstream checks it.
 *
 * @param container empty where the pod has but one
 */
record LogOptions(
        String container,
        @Nullable Long tailLines,
        @Nullable Long limitBytes,
        @Nullable Long sinceSeconds) {
    private static final String NOT_POSITIVE = "must be greater than 0";

    static LogOptions parse(String pod, Query query) {
        LogOptions options = new LogOptions(
                query.first("container"),
                number(query, "tailLines"),
                number(query, "limitBytes"),
                number(query, "sinceSeconds"));
        FieldErrors errors = options.check(query.has("sinceTime"));
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "PodLogOptions", pod, errors.list());
        }
        return options;
    }

    private static @Nullable Long number(Query query, String name) {
        return query.has(name) ? ListOptions.number(query, name) : null;
    }

    private FieldErrors check(boolean sinceTime) {
        FieldErrors errors = new FieldErrors();
        if (tailLines != null && tailLines < 0) {
            errors.invalid(FieldPath.of("tailLines"), tailLines, "must be greater than or equal to 0");
        }
        if (limitBytes != null && limitBytes < 1) {
            errors.invalid(FieldPath.of("limitBytes"), limitBytes, NOT_POSITIVE);
        }
        if (sinceSeconds != null && sinceTime) {
            errors.forbidden(FieldPath.of("[]"), "at most one of `sinceTime` or `sinceSeconds` may be specified");
        } else if (sinceSeconds != null && sinceSeconds < 1) {
            errors.invalid(FieldPath.of("sinceSeconds"), sinceSeconds, NOT_POSITIVE);
        }
        return errors;
    }
}
