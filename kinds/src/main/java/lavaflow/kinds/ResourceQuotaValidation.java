package lavaflow.kinds;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks of resource quotas. */
final class ResourceQuotaValidation {
    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final String NOT_APPLICABLE = "unsupported scope applied to resource";

    private ResourceQuotaValidation() {}

    static void spec(ObjectNode object, FieldErrors errors) {
        ObjectNode spec = Json.ensureObject(object, "spec");
        QuotaResources.quotaList(Json.at(spec, "hard"), SPEC.child("hard"), errors);
        scopes(spec, errors);
        if (Nodes.has(spec, "scopeSelector")) {
            selector(spec, errors);
        }
    }

    static void status(ObjectNode object, FieldErrors errors) {
        for (String field : new String[] {"hard", "used"}) {
            QuotaResources.quotaList(Json.at(object, "status", field), FieldPath.of("status", field), errors);
        }
    }

    static void update(ObjectNode object, ObjectNode old, FieldErrors errors) {
        spec(object, errors);
        Set<String> before = new HashSet<>(Nodes.strings(old, "spec", "scopes"));
        if (!before.equals(new HashSet<>(Nodes.strings(object, "spec", "scopes")))) {
            errors.invalid(SPEC.child("scopes"), Json.at(object, "spec", "scopes"), FieldChecks.IMMUTABLE);
        }
    }

    private static void scopes(ObjectNode spec, FieldErrors errors) {
        List<String> scopes = Nodes.strings(spec, "scopes");
        JsonNode shown = Json.at(spec, "scopes");
        FieldPath path = SPEC.child("scopes");
        for (String scope : scopes) {
            if (!QuotaResources.isScope(scope)) {
                errors.invalid(path, shown, "unsupported scope");
            }
            for (int i = misfits(spec, scope); i > 0; i--) {
                errors.invalid(path, shown, NOT_APPLICABLE);
            }
        }
        conflicts(new HashSet<>(scopes), path, shown, errors);
    }

    private static int misfits(ObjectNode spec, String scope) {
        int count = 0;
        for (String resource : Nodes.entries(spec, "hard").keySet()) {
            if (QuotaResources.isStandardQuota(resource) && !QuotaResources.scopeFits(scope, resource)) {
                count++;
            }
        }
        return count;
    }

    private static void conflicts(Set<String> scopes, FieldPath path, @Nullable JsonNode shown, FieldErrors errors) {
        for (String scope : new String[] {"BestEffort", "Terminating"}) {
            if (scopes.contains(scope) && scopes.contains("Not" + scope)) {
                errors.invalid(path, shown, "conflicting scopes");
            }
        }
    }

    private static void selector(ObjectNode spec, FieldErrors errors) {
        FieldPath path = SPEC.child("scopeSelector", "matchExpressions");
        Set<String> scopes = new HashSet<>();
        for (ObjectNode requirement : Nodes.objects(spec, "scopeSelector", "matchExpressions")) {
            String scope = Json.textAt(requirement, "scopeName");
            if (!QuotaResources.isScope(scope)) {
                errors.invalid(path.child("scopeName"), scope, "unsupported scope");
            }
            for (int i = misfits(spec, scope); i > 0; i--) {
                errors.invalid(path, goSelector(spec), NOT_APPLICABLE);
            }
            requirement(requirement, scope, path, errors);
            scopes.add(scope);
        }
        conflicts(scopes, path, Json.at(spec, "scopes"), errors);
    }

    private static void requirement(ObjectNode requirement, String scope, FieldPath path, FieldErrors errors) {
        String operator = Json.textAt(requirement, "operator");
        boolean valued = scope.equals("PriorityClass") || scope.equals("VolumeAttributesClass");
        if (QuotaResources.isScope(scope) && !valued && !operator.equals("Exists")) {
            errors.invalid(
                    path.child("operator"),
                    operator,
                    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
                            + " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
                            + " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
        }
        boolean values = !Nodes.emptyAt(requirement, "values");
        switch (operator) {
            case "In", "NotIn" -> {
                if (!values) {
                    errors.required(
                            path.child("values"),
                            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (values) {
                    errors.invalid(
                            path.child("values"),
                            Json.at(requirement, "values"),
                            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
                }
            }
            default -> errors.invalid(path.child("operator"), operator, "not a valid selector operator");
        }
    }

    private static ObjectNode goSelector(ObjectNode spec) {
        ObjectNode shown = Json.object();
        ArrayNode all = shown.putArray("MatchExpressions");
        for (ObjectNode requirement : Nodes.objects(spec, "scopeSelector", "matchExpressions")) {
            all.add(FieldChecks.goStruct(requirement, "ScopeName=", "Operator=", "Values"));
        }
        return shown;
    }

    /** Quotas whose requests may grow beyond their limits help nobody. */
    static List<String> warnings(ObjectNode object) {
        List<String> warnings = new ArrayList<>();
        JsonNode hard = Json.at(object, "spec", "hard");
        for (String resource : new String[] {"cpu", "memory", "storage", "ephemeral-storage"}) {
            String requestName = "requests." + resource;
            boolean bare = resource.equals("cpu") || resource.equals("memory");
            if (bare && !Nodes.has(hard, requestName)) {
                requestName = resource;
            }
            Quantity request = QuotaResources.find(hard, requestName);
            Quantity limit = QuotaResources.find(hard, "limits." + resource);
            if (request != null && limit != null && request.compareTo(limit) > 0) {
                warnings.add("ResourceQuota " + requestName + " (" + request + ") should be less than limits."
                        + resource + " (" + limit + ")");
            }
        }
        return warnings;
    }
}
