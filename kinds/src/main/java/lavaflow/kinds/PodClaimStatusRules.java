package lavaflow.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which resource claims were made for a pod. */
final class PodClaimStatusRules {
    private PodClaimStatusRules() {}

    static void validate(ObjectNode status, @Nullable JsonNode spec, FieldPath statusPath, FieldErrors errors) {
        claims(status, spec, statusPath.child("resourceClaimStatuses"), errors);
        ObjectNode extended = Json.objectAt(status, "extendedResourceClaimStatus");
        if (extended != null) {
            extended(extended, spec, statusPath.child("extendedResourceClaimStatus"), errors);
        }
    }

    private static void claims(ObjectNode status, @Nullable JsonNode spec, FieldPath path, FieldErrors errors) {
        Set<String> seen = new HashSet<>();
        List<ObjectNode> statuses = Nodes.objects(status, "resourceClaimStatuses");
        for (int i = 0; i < statuses.size(); i++) {
            FieldPath place = path.index(i);
            String name = Json.textAt(statuses.get(i), "name");
            if (Nodes.objects(spec, "resourceClaims").stream()
                    .noneMatch(claim -> Json.textAt(claim, "name").equals(name))) {
                errors.invalid(place.child("name"), name, "must match the name of an entry in `spec.resourceClaims`");
            }
            if (!seen.add(name)) {
                errors.duplicate(place.child("name"), name);
            }
            if (Nodes.has(statuses.get(i), "resourceClaimName")) {
                String claim = Json.textAt(statuses.get(i), "resourceClaimName");
                FieldChecks.invalid(place.child("resourceClaimName"), claim, Names.dns1123Subdomain(claim), errors);
            }
        }
    }

    private static void extended(ObjectNode status, @Nullable JsonNode spec, FieldPath path, FieldErrors errors) {
        List<ObjectNode> mappings = Nodes.objects(status, "requestMappings");
        if (mappings.isEmpty()) {
            errors.required(path.child("requestMappings"), "at least one request mapping is required");
        }
        Set<List<String>> seen = new HashSet<>();
        for (int i = 0; i < mappings.size(); i++) {
            mapping(
                    mappings.get(i),
                    spec,
                    seen,
                    path,
                    path.child("requestMappings").index(i),
                    errors);
        }
        if (FieldChecks.requireText(status, "resourceClaimName", path, errors)) {
            FieldChecks.optionalSubdomain(status, "resourceClaimName", path, errors);
        }
    }

    private static void mapping(
            ObjectNode mapping,
            @Nullable JsonNode spec,
            Set<List<String>> seen,
            FieldPath path,
            FieldPath place,
            FieldErrors errors) {
        String container = Json.textAt(mapping, "containerName");
        String resource = Json.textAt(mapping, "resourceName");
        String request = Json.textAt(mapping, "requestName");
        Optional<ObjectNode> found = PodSpecs.startedContainers(spec).stream()
                .filter(each -> Json.textAt(each, "name").equals(container))
                .findFirst();
        if (found.isEmpty()) {
            errors.invalid(
                    place.child("containerName"),
                    container,
                    "must match the name of an entry in spec.initContainers.name or spec.containers.name");
        } else if (!Nodes.has(found.get(), "resources", "requests", resource)) {
            errors.invalid(
                    place.child("resourceName"),
                    resource,
                    "must match the extended resource name of an entry in spec.initContainers.resources.requests or"
                            + " spec.containers.resources.requests");
        }
        FieldChecks.invalid(path.child("requestName"), request, Names.dns1123Label(request), errors);
        if (!seen.add(List.of(container, resource, request))) {
            errors.duplicate(place.child("containerName"), container);
            errors.duplicate(place.child("resourceName"), resource);
            errors.duplicate(place.child("requestName"), request);
        }
    }
}
