package lavaflow.apiserver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.FieldFilter;
import lavaflow.kube.FieldSet;
import lavaflow.kube.ManagedFields;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps managedFields for every write, and merges applied configurations. */
final class FieldOwnership {
    private static final FieldFilter NOT_STATUS = FieldFilter.excluding(FieldSet.ofFields("status"));
    private static final FieldFilter NOT_SPEC = FieldFilter.excluding(FieldSet.ofFields("spec"));

    /** By resource and subresource; as many as there are endpoints. */
    private final Map<String, ManagedFields> endpoints = new ConcurrentHashMap<>();

    /** Records that the call's manager wrote the object; {@code live} is null on create. Changes the object in place. */
    void update(Call call, @Nullable ObjectNode live, ObjectNode object) {
        endpoint(call).update(live, object, call.fieldManager(), Metadata.time(call.now()));
    }

    /** Merges an applied configuration into the live object; {@code live} is null where there is none. */
    ObjectNode apply(Call call, @Nullable ObjectNode live, ObjectNode configuration) {
        return endpoint(call)
                .apply(live, configuration, call.givenFieldManager(), call.force(), Metadata.time(call.now()));
    }

    private ManagedFields endpoint(Call call) {
        Resource resource = call.resource();
        String key = resource.info().apiVersion() + "/" + resource.name() + "/" + call.subresource();
        ManagedFields known = endpoints.get(key);
        return known != null ? known : endpoints.computeIfAbsent(key, _ -> make(resource, call.subresource()));
    }

    private static ManagedFields make(Resource resource, String subresource) {
        return new ManagedFields(new ManagedFields.Endpoint(
                resource.types(),
                resource.info().struct(),
                resource.info().apiVersion(),
                resource.info().kind(),
                subresource,
                filter(resource, subresource),
                null));
    }

    /** An endpoint owns only what it can change: the object's does not touch status, the status' nothing else. */
    private static FieldFilter filter(Resource resource, String subresource) {
        if (subresource.equals("status")) {
            return NOT_SPEC;
        }
        return resource.info().subresource("status") == null ? FieldFilter.ALL : NOT_STATUS;
    }
}
