package lavaflow.apiserver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kinds.BuiltinKinds;
import lavaflow.kinds.ScaleView;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.EndpointFields;
import lavaflow.kube.FieldFilter;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.KindTable;
import lavaflow.kube.ManagedFields;
import lavaflow.kube.ScaleOwners;
import lavaflow.schema.ScalePaths;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Keeps managedFields for every write, and merges applied configurations. */
final class FieldOwnership {
    /** What upstream's server calls itself as a manager of fields. */
    static final String SERVER = "kube-apiserver";

    private static final ManagedFields SCALES = new ManagedFields(new ManagedFields.Endpoint(
            BuiltinTypes.instance(),
            "io.k8s.api.autoscaling.v1.Scale",
            "autoscaling/v1",
            "Scale",
            "scale",
            FieldFilter.ALL,
            null));

    private static final ManagedFields BINDINGS = new ManagedFields(new ManagedFields.Endpoint(
            BuiltinTypes.instance(), "io.k8s.api.core.v1.Binding", "v1", "Binding", "binding", FieldFilter.ALL, null));

    /** By resource and subresource; as many as there are endpoints. */
    private final Map<String, ManagedFields> endpoints = new ConcurrentHashMap<>();

    /** Records that the call's manager wrote the object; {@code live} is null on create. Changes the object in place. */
    void update(Call call, @Nullable ObjectNode live, ObjectNode object) {
        endpoint(call).update(live, object, call.fieldManager(), Metadata.time(call.now()));
    }

    /** Records who binds a pod, for admission to see. */
    void updateBinding(Call call, ObjectNode binding) {
        BINDINGS.update(null, binding, call.fieldManager(), Metadata.time(call.now()));
    }

    /** Records that the server itself wrote an object's status. */
    void updateStatusByServer(Resource resource, ObjectNode live, ObjectNode object, String now) {
        endpoint(resource, "status").update(live, object, SERVER, now);
    }

    /** Merges an applied configuration into the live object; {@code live} is null where there is none. */
    ObjectNode apply(Call call, @Nullable ObjectNode live, ObjectNode configuration) {
        return endpoint(call)
                .apply(live, configuration, call.givenFieldManager(), call.force(), Metadata.time(call.now()));
    }

    /** The Scale of an object to be changed, with the owners of its replicas. */
    ObjectNode scale(Call call, ObjectNode object) {
        ObjectNode scale = scaleToChange(call.resource(), object);
        Metadata.of(scale)
                .set(
                        "managedFields",
                        ScaleOwners.toScale(
                                Json.at(object, "metadata", "managedFields"),
                                call.resource().info().apiVersion(),
                                replicasPath(call)));
        return scale;
    }

    /** The Scale of an object of any kind that has one. */
    static ObjectNode scaleOf(Resource resource, ObjectNode object) {
        ScalePaths paths = scalePaths(resource);
        return paths == null ? ScaleView.of(object) : CustomScale.of(paths, object);
    }

    /** The Scale of an object that may get its replicas only by the change. */
    static ObjectNode scaleToChange(Resource resource, ObjectNode object) {
        ScalePaths paths = scalePaths(resource);
        return paths == null ? ScaleView.of(object) : CustomScale.toChange(paths, object);
    }

    /** Gives an object the number of replicas of its Scale. */
    static void applyScale(Resource resource, ObjectNode scale, ObjectNode object) {
        ScalePaths paths = scalePaths(resource);
        if (paths == null) {
            ScaleView.apply(scale, object);
        } else {
            CustomScale.apply(paths, scale, object);
        }
    }

    private static @Nullable ScalePaths scalePaths(Resource resource) {
        return resource.custom() == null
                ? null
                : resource.custom().description().scale();
    }

    private static String replicasPath(Call call) {
        ScalePaths paths = scalePaths(call.resource());
        return paths == null ? ".spec.replicas" : paths.specReplicas();
    }

    /** Records that the call's manager wrote a Scale. */
    void updateScale(Call call, ObjectNode live, ObjectNode scale) {
        SCALES.update(live, scale, call.fieldManager(), Metadata.time(call.now()));
    }

    /** Merges an applied configuration into a Scale. */
    ObjectNode applyScale(Call call, ObjectNode live, ObjectNode configuration) {
        return SCALES.apply(live, configuration, call.givenFieldManager(), call.force(), Metadata.time(call.now()));
    }

    /** Gives an object the owners its Scale has now. */
    void adoptScale(Call call, ObjectNode scale, ObjectNode object) {
        var entries = ScaleOwners.toParent(
                Json.at(object, "metadata", "managedFields"),
                Json.at(scale, "metadata", "managedFields"),
                call.resource().info().apiVersion(),
                replicasPath(call));
        if (entries.isEmpty()) {
            Metadata.of(object).remove("managedFields");
        } else {
            Metadata.of(object).set("managedFields", entries);
        }
    }

    private ManagedFields endpoint(Call call) {
        return endpoint(call.resource(), call.subresource());
    }

    private ManagedFields endpoint(Resource resource, String subresource) {
        if (resource.custom() != null) {
            return resource.custom().ownership(subresource, each -> make(resource, each));
        }
        String key = resource.info().apiVersion() + "/" + resource.name() + "/" + subresource;
        ManagedFields known = endpoints.get(key);
        return known != null ? known : endpoints.computeIfAbsent(key, _ -> make(resource, subresource));
    }

    private static ManagedFields make(Resource resource, String subresource) {
        return new ManagedFields(new ManagedFields.Endpoint(
                resource.types(),
                resource.info().struct(),
                resource.info().apiVersion(),
                resource.info().kind(),
                subresource,
                resource.custom() == null
                        ? EndpointFields.filter(resource.info(), subresource)
                        : EndpointFields.customFilter(resource.info(), subresource),
                (object, apiVersion) -> converted(resource, object, apiVersion)));
    }

    /** The object in another served version of its kind; null where there is none of that name. */
    private static ManagedFields.@Nullable Versioned converted(
            Resource resource, ObjectNode object, String apiVersion) {
        if (resource.custom() != null) {
            CustomVersion other = resource.custom().kind().version(apiVersion);
            return other == null ? null : new ManagedFields.Versioned(other.root(), other.of(object.deepCopy()));
        }
        KindInfo from = version(resource, Json.textAt(object, "apiVersion"));
        KindInfo to = version(resource, apiVersion);
        if (from == null || to == null) {
            return null;
        }
        var toStored = BuiltinKinds.conversion(from.group(), from.version(), from.resource());
        var fromStored = BuiltinKinds.conversion(to.group(), to.version(), to.resource());
        ObjectNode stored = toStored == null ? object : toStored.bridge().toStored(object.deepCopy());
        return new ManagedFields.Versioned(
                to.struct(), fromStored == null ? stored : fromStored.bridge().fromStored(stored.deepCopy()));
    }

    private static @Nullable KindInfo version(Resource resource, String apiVersion) {
        int slash = apiVersion.indexOf('/');
        KindInfo found = KindTable.builtin()
                .resource(
                        slash < 0 ? "" : apiVersion.substring(0, slash),
                        apiVersion.substring(slash + 1),
                        resource.name());
        return found != null && found.kind().equals(resource.info().kind()) ? found : null;
    }
}
