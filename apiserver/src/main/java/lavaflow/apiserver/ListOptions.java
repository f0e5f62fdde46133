package lavaflow.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import org.jspecify.annotations.Nullable;

/**
 * What to list or watch, from the query, checked as upstream checks it.
 *
 * @param resourceVersion the revision asked for; null where none was given
 * @param match how it is meant; empty where not said
 */
record ListOptions(
        LabelSelector labels,
        FieldSelector fields,
        boolean watch,
        boolean bookmarks,
        boolean sendInitialEvents,
        @Nullable Long resourceVersion,
        String match,
        long limit,
        String continueToken,
        @Nullable Duration timeout) {

    /** The same options for one object: a watch of a single name. */
    ListOptions forName(String name) {
        List<FieldSelector.Requirement> requirements = new ArrayList<>(fields.requirements());
        requirements.add(new FieldSelector.Requirement("metadata.name", true, name));
        return new ListOptions(
                labels,
                new FieldSelector(requirements),
                watch,
                bookmarks,
                sendInitialEvents,
                resourceVersion,
                match,
                limit,
                continueToken,
                timeout);
    }

    private static final String GROUP = "meta.k8s.io";
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");

    static ListOptions parse(Query query, boolean watch) {
        LabelSelector labels;
        FieldSelector fields;
        try {
            labels = LabelSelector.parse(query.first("labelSelector"));
            fields = FieldSelector.parse(query.first("fieldSelector"));
        } catch (MalformedException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
        boolean initial = query.flag("sendInitialEvents");
        check(query, watch);
        long limit = number(query, "limit");
        long timeout = number(query, "timeoutSeconds");
        String version = query.first("resourceVersion");
        return new ListOptions(
                labels,
                fields,
                watch,
                query.flag("allowWatchBookmarks"),
                initial,
                version.isEmpty() ? null : revision(version, watch ? "" : "invalid resource version: "),
                query.first("resourceVersionMatch"),
                limit,
                query.first("continue"),
                timeout > 0 ? Duration.ofSeconds(timeout) : null);
    }

    static long number(Query query, String name) {
        String text = query.first(name);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            String why = INTEGER.matcher(text).matches() ? "value out of range" : "invalid syntax";
            throw ApiException.badRequest("strconv.ParseInt: parsing " + FieldErrors.quoted(text) + ": " + why);
        }
    }

    /** The revision of a get or watch; lists have other words for one that is no number. */
    static long revision(String text) {
        return revision(text, "");
    }

    private static long revision(String text, String introduction) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Falls through to the refusal below.
        }
        FieldErrors errors = new FieldErrors();
        errors.invalid(
                FieldPath.of("resourceVersion"),
                text,
                "strconv.ParseUint: parsing " + FieldErrors.quoted(text) + ": invalid syntax");
        String why = "resourceVersion: " + errors.list().getFirst().detail();
        throw ApiException.badRequest(introduction + why);
    }

    private static void check(Query query, boolean watch) {
        String match = query.first("resourceVersionMatch");
        FieldPath path = FieldPath.of("resourceVersionMatch");
        FieldErrors errors = new FieldErrors();
        if (watch) {
            checkWatch(query, match, path, errors);
        } else {
            checkList(query, match, path, errors);
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(GROUP, "ListOptions", "", errors.list());
        }
    }

    private static void checkWatch(Query query, String match, FieldPath path, FieldErrors errors) {
        boolean notOlder = match.equals("NotOlderThan");
        if (query.has("sendInitialEvents") && !notOlder) {
            errors.forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!match.isEmpty() && !query.has("sendInitialEvents")) {
            errors.forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if (!match.isEmpty() && !notOlder) {
            errors.notSupported(path, match, List.of("NotOlderThan"));
        }
        if (!query.first("continue").isEmpty()) {
            errors.forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
        }
    }

    private static void checkList(Query query, String match, FieldPath path, FieldErrors errors) {
        if (query.has("sendInitialEvents")) {
            errors.forbidden(FieldPath.of("sendInitialEvents"), "sendInitialEvents is forbidden for list");
        }
        if (match.isEmpty()) {
            return;
        }
        if (query.first("resourceVersion").isEmpty()) {
            errors.forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if (!query.first("continue").isEmpty()) {
            errors.forbidden(path, "resourceVersionMatch is forbidden when continue is provided");
        }
        if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
            errors.notSupported(path, match, List.of("Exact", "NotOlderThan", ""));
        }
        if (match.equals("Exact") && query.first("resourceVersion").equals("0")) {
            errors.forbidden(path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }
}
