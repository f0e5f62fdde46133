package lavaflow.kinds;

import java.util.Map;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Names and amounts in quotas and limit ranges. */
final class QuotaResources {
    private static final Set<String> POD_COUNTS = Set.of("pods");
    private static final Set<String> POD_COMPUTE =
            Set.of("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory");
    private static final Set<String> CLAIMS = Set.of("persistentvolumeclaims", "requests.storage");
    private static final Set<String> SCOPES = Set.of(
            "Terminating",
            "NotTerminating",
            "BestEffort",
            "NotBestEffort",
            "PriorityClass",
            "VolumeAttributesClass",
            "CrossNamespacePodAffinity");

    private QuotaResources() {}

    /** A resource of anything: qualified, or one of those that mean something without a domain. */
    static boolean name(String name, FieldPath path, FieldErrors errors) {
        var wrong = Names.qualifiedName(name);
        FieldChecks.invalid(path, name, wrong, errors);
        if (wrong.isEmpty() && name.indexOf('/') < 0 && !ResourceNames.isStandard(name)) {
            errors.invalid(path, name, "must be a standard resource type or fully qualified");
            return false;
        }
        return wrong.isEmpty();
    }

    static void containerName(String name, FieldPath path, FieldErrors errors) {
        name(name, path, errors);
        if (name.indexOf('/') < 0) {
            if (!ResourceNames.isStandardForContainers(name)) {
                errors.invalid(path, name, "must be a standard resource for containers");
            }
        } else if (!ResourceNames.isNative(name) && !ResourceNames.isExtended(name)) {
            errors.invalid(path, name, "doesn't follow extended resource name standard");
        }
    }

    static boolean isStandardQuota(String name) {
        return ResourceNames.isStandard(name) && !name.equals("storage");
    }

    /** Names and amounts of a map in a quota. */
    static void quotaList(@Nullable JsonNode list, FieldPath path, FieldErrors errors) {
        for (Map.Entry<String, JsonNode> entry : Nodes.entries(list).entrySet()) {
            String name = entry.getKey();
            FieldPath place = path.key(name);
            name(name, place, errors);
            if (name.indexOf('/') < 0 && !isStandardQuota(name)) {
                errors.invalid(place, name, "must be a standard resource for quota");
            }
            amount(name, Quantity.fromJson(entry.getValue()), place, errors);
        }
    }

    static void amount(String name, Quantity amount, FieldPath path, FieldErrors errors) {
        if (amount.signum() < 0) {
            errors.invalid(path, amount.toString(), FieldChecks.NOT_NEGATIVE);
        }
        if (ResourceNames.isWhole(name) && amount.milliValue() % 1000 != 0) {
            errors.invalid(path, amount.toString(), "must be an integer");
        }
    }

    static boolean isScope(String scope) {
        return SCOPES.contains(scope);
    }

    static boolean scopeFits(String scope, String resource) {
        return switch (scope) {
            case "Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity" ->
                POD_COUNTS.contains(resource) || POD_COMPUTE.contains(resource);
            case "BestEffort" -> POD_COUNTS.contains(resource);
            case "VolumeAttributesClass" -> CLAIMS.contains(resource);
            default -> true;
        };
    }

    /** The amount of a resource in a list, null where there is none. */
    static @Nullable Quantity find(@Nullable JsonNode list, String name) {
        JsonNode found = Json.at(list, name);
        return found == null ? null : Quantity.fromJson(found);
    }
}
