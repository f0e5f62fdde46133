package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How to delete, from the body or, where there is none, from the query. */
record DeleteOptions(
        @Nullable Long gracePeriodSeconds,
        @Nullable String uid,
        @Nullable String resourceVersion,
        @Nullable Boolean orphanDependents,
        @Nullable String propagationPolicy,
        boolean dryRun) {

    static final DeleteOptions NONE = new DeleteOptions(null, null, null, null, null, false);

    DeleteOptions withResourceVersion(String version) {
        return new DeleteOptions(gracePeriodSeconds, uid, version, orphanDependents, propagationPolicy, dryRun);
    }

    static DeleteOptions parse(@Nullable ObjectNode body, Query query) {
        FieldErrors errors = new FieldErrors();
        DeleteOptions options = body == null ? fromQuery(query, errors) : fromBody(body, errors);
        String policy = options.propagationPolicy();
        if (options.orphanDependents() != null && policy != null) {
            errors.invalid(
                    FieldPath.of("propagationPolicy"),
                    policy,
                    "orphanDependents and deletionPropagation cannot be both set");
        }
        if (policy != null && !List.of("Foreground", "Background", "Orphan").contains(policy)) {
            errors.notSupported(
                    FieldPath.of("propagationPolicy"), policy, List.of("Foreground", "Background", "Orphan", "nil"));
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("meta.k8s.io", "DeleteOptions", "", errors.list());
        }
        return options;
    }

    /** As it stands in the API. */
    ObjectNode document() {
        ObjectNode document = Json.object();
        document.put("kind", "DeleteOptions").put("apiVersion", "meta.k8s.io/v1");
        if (gracePeriodSeconds != null) {
            document.put("gracePeriodSeconds", gracePeriodSeconds);
        }
        if (uid != null || resourceVersion != null) {
            ObjectNode preconditions = document.putObject("preconditions");
            if (uid != null) {
                preconditions.put("uid", uid);
            }
            if (resourceVersion != null) {
                preconditions.put("resourceVersion", resourceVersion);
            }
        }
        if (orphanDependents != null) {
            document.put("orphanDependents", orphanDependents);
        }
        if (propagationPolicy != null) {
            document.put("propagationPolicy", propagationPolicy);
        }
        if (dryRun) {
            document.putArray("dryRun").add("All");
        }
        return document;
    }

    private static DeleteOptions fromBody(ObjectNode body, FieldErrors errors) {
        List<String> dryRun = new ArrayList<>();
        for (JsonNode value : Json.listAt(body, "dryRun")) {
            dryRun.add(value.asText());
        }
        JsonNode grace = Json.at(body, "gracePeriodSeconds");
        JsonNode orphan = Json.at(body, "orphanDependents");
        return new DeleteOptions(
                grace == null ? null : grace.longValue(),
                text(body, "preconditions", "uid"),
                text(body, "preconditions", "resourceVersion"),
                orphan == null ? null : orphan.booleanValue(),
                text(body, "propagationPolicy"),
                WriteOptions.checkDryRun(dryRun, errors));
    }

    private static @Nullable String text(ObjectNode body, String... path) {
        JsonNode value = Json.at(body, path);
        return value == null ? null : value.asText();
    }

    private static DeleteOptions fromQuery(Query query, FieldErrors errors) {
        Long grace = null;
        if (query.has("gracePeriodSeconds")) {
            try {
                grace = Long.parseLong(query.first("gracePeriodSeconds"));
            } catch (NumberFormatException e) {
                throw ApiException.badRequest("strconv.ParseInt: parsing "
                        + FieldErrors.quoted(query.first("gracePeriodSeconds")) + ": invalid syntax");
            }
        }
        return new DeleteOptions(
                grace,
                given(query, "uid"),
                given(query, "resourceVersion"),
                query.has("orphanDependents") ? query.flag("orphanDependents") : null,
                query.has("propagationPolicy") ? query.first("propagationPolicy") : null,
                WriteOptions.checkDryRun(query.all("dryRun"), errors));
    }

    private static @Nullable String given(Query query, String name) {
        return query.has(name) && !query.first(name).isEmpty() ? query.first(name) : null;
    }
}
