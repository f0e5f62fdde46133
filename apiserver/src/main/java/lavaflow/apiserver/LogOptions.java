package lavaflow.apiserver;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import org.jspecify.annotations.Nullable;

/**
 * Which part of a log is wanted, from the query, checked as upstream checks it.
 *
 * @param container empty where the pod has but one
 * @param sinceTime empty where any time will do
 * @param blindly whether to believe whoever answers at the node's address
 */
record LogOptions(
        String container,
        @Nullable Long tailLines,
        @Nullable Long limitBytes,
        @Nullable Long sinceSeconds,
        String sinceTime,
        boolean follow,
        boolean previous,
        boolean timestamps,
        boolean blindly) {
    private static final String NOT_POSITIVE = "must be greater than 0";

    static LogOptions parse(String pod, Query query) {
        LogOptions options = new LogOptions(
                query.first("container"),
                number(query, "tailLines"),
                number(query, "limitBytes"),
                number(query, "sinceSeconds"),
                time(query.first("sinceTime")),
                query.flag("follow"),
                query.flag("previous"),
                query.flag("timestamps"),
                query.flag("insecureSkipTLSVerifyBackend"));
        FieldErrors errors = options.check(query.has("sinceTime"), query.has("stream"));
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "PodLogOptions", pod, errors.list());
        }
        return options;
    }

    private static @Nullable Long number(Query query, String name) {
        return query.has(name) ? ListOptions.number(query, name) : null;
    }

    private static String time(String given) {
        if (given.isEmpty()) {
            return "";
        }
        try {
            return OffsetDateTime.parse(given)
                    .truncatedTo(ChronoUnit.SECONDS)
                    .toInstant()
                    .toString();
        } catch (DateTimeParseException e) {
            throw ApiException.badRequest("parsing time \"" + given
                    + "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"" + given + "\" as \"2006\"");
        }
    }

    /** The same as a kubelet understands it, with its question mark. */
    String parameters() {
        StringBuilder text = new StringBuilder();
        add(text, "follow", follow ? "true" : "");
        add(text, "limitBytes", limitBytes == null ? "" : limitBytes.toString());
        add(text, "previous", previous ? "true" : "");
        add(text, "sinceSeconds", sinceSeconds == null ? "" : sinceSeconds.toString());
        add(text, "sinceTime", sinceTime);
        add(text, "tailLines", tailLines == null ? "" : tailLines.toString());
        add(text, "timestamps", timestamps ? "true" : "");
        return text.toString();
    }

    private static void add(StringBuilder text, String name, String value) {
        if (!value.isEmpty()) {
            text.append(text.isEmpty() ? '?' : '&').append(name).append('=');
            text.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
    }

    private FieldErrors check(boolean timed, boolean stream) {
        FieldErrors errors = new FieldErrors();
        if (tailLines != null && tailLines < 0) {
            errors.invalid(FieldPath.of("tailLines"), tailLines, "must be greater than or equal to 0");
        }
        if (limitBytes != null && limitBytes < 1) {
            errors.invalid(FieldPath.of("limitBytes"), limitBytes, NOT_POSITIVE);
        }
        if (sinceSeconds != null && timed) {
            errors.forbidden(FieldPath.of("[]"), "at most one of `sinceTime` or `sinceSeconds` may be specified");
        } else if (sinceSeconds != null && sinceSeconds < 1) {
            errors.invalid(FieldPath.of("sinceSeconds"), sinceSeconds, NOT_POSITIVE);
        }
        if (stream) {
            // Behind a feature gate that is off by default.
            errors.forbidden(FieldPath.of("stream"), "may not be specified");
        }
        return errors;
    }
}
