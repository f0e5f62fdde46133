package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.ConfigurationMerge;
import lavaflow.kube.DecodingException;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.PrintedForm;
import lavaflow.kube.StrictJson;
import lavaflow.kube.TypedDecoder;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Objects as those outside the chain of admission see them: in the version they ask for, in the form clients get. */
public final class AdmissionForms {
    private final ResourceTable table;
    private final Store store;

    public AdmissionForms(ResourceTable table, Store store) {
        this.table = table;
        this.store = store;
    }

    /** A resource by its name in the plural, null where it is not served. */
    public @Nullable Resource resource(String group, String version, String resource) {
        return table.find(group, version, resource);
    }

    /** The resource of a kind, null where it is not served. */
    public @Nullable Resource ofKind(String apiVersion, String kind) {
        for (Resource each : table.all()) {
            boolean same =
                    each.info().kind().equals(kind) && each.info().apiVersion().equals(apiVersion);
            if (same) {
                return each;
            }
        }
        return null;
    }

    /** A stored object as clients see it. */
    public @Nullable ObjectNode find(Resource resource, String namespace, String name) {
        StoredObject found = store.get(resource.bucket(), resource.key(namespace, name));
        return found == null ? null : resource.read(found);
    }

    /** All stored objects of a namespace, or of the cluster, as clients see them. */
    public List<ObjectNode> all(Resource resource, String namespace) {
        boolean inOne = resource.namespaced() && !namespace.isEmpty();
        List<StoredObject> found = new ArrayList<>();
        store.snapshot()
                .scan(resource.bucket(), inOne ? namespace + "/" : "", inOne ? namespace + "0" : null)
                .forEach(found::add);
        return resource.read(found);
    }

    /** Merges parts into what the call sends, in the version of a resource. */
    public ConfigurationMerge merge(Call call, Resource resource) {
        KindInfo.Subresource sub = part(call);
        return sub == null
                ? new ConfigurationMerge(resource.types(), resource.info().struct())
                : new ConfigurationMerge(BuiltinTypes.instance(), sub.struct());
    }

    /** The other paths under which the same objects are served, in the order of discovery. */
    public List<Resource> equivalents(Resource resource) {
        List<Resource> others = new ArrayList<>();
        for (Resource other : table.all()) {
            boolean same = other.bucket().equals(resource.bucket())
                    && !other.info().apiVersion().equals(resource.info().apiVersion());
            if (same) {
                others.add(other);
            }
        }
        return others;
    }

    /** A copy of an object of the call in the version of a resource that is an equivalent of the call's. */
    public ObjectNode shown(Call call, ObjectNode object, Resource wanted) {
        ObjectNode copy = object.deepCopy();
        KindInfo.Subresource sub = part(call);
        if (sub != null) {
            PrintedForm.restore(BuiltinTypes.instance(), sub.struct(), copy);
            return copy;
        }
        ObjectNode converted = converted(call, copy, wanted);
        if (wanted.custom() == null) {
            PrintedForm.restore(wanted.types(), wanted.info().struct(), converted);
        } else {
            wanted.restoreForm(converted);
        }
        return converted;
    }

    /** An object that somebody outside made, in the version of a resource: typed, defaulted, in the version of the call. */
    public ObjectNode taken(Call call, ObjectNode object, Resource from) throws DecodingException {
        KindInfo.Subresource sub = part(call);
        CustomVersion custom = from.custom();
        if (sub == null && custom != null) {
            ObjectNode plain = CustomDecoder.plain(custom, object);
            from.rules().applyDefaults(plain);
            return converted(call, plain, call.resource());
        }
        String struct = sub == null ? from.info().struct() : sub.struct();
        String kind = Json.textAt(object, "kind");
        String apiVersion = Json.textAt(object, "apiVersion");
        ObjectNode typed = TypedDecoder.decode(
                        sub == null ? from.types() : BuiltinTypes.instance(), struct, StrictJson.Document.of(object))
                .object();
        typed.put("kind", kind).put("apiVersion", apiVersion);
        if (sub != null) {
            return typed;
        }
        from.rules().applyDefaults(typed);
        return converted(call, typed, call.resource());
    }

    /**
     * What a patch from outside made of an object that was in the version of a resource, as {@link #taken} would have it. It may be
     * anything; what cannot be the object any more is refused as an internal error.
     *
     * @param strict whether fields that nobody knows are refused
     */
    public ObjectNode patched(Call call, JsonNode made, Resource from, boolean strict) {
        KindInfo.Subresource sub = part(call);
        CustomVersion custom = from.custom();
        if (sub != null) {
            GroupVersionKind kind = new GroupVersionKind(sub.group(), sub.version(), sub.kind());
            return new ForeignObject(made, kind)
                    .typed(new ForeignObject.Form(BuiltinTypes.instance(), sub.struct()), strict);
        }
        if (custom != null) {
            ObjectNode object = new ForeignObject(made, custom.type()).custom(custom);
            from.rules().applyDefaults(object);
            return converted(call, object, call.resource());
        }
        KindInfo info = from.info();
        ObjectNode typed = new ForeignObject(made, new GroupVersionKind(info.group(), info.version(), info.kind()))
                .typed(new ForeignObject.Form(from.types(), info.struct()), strict);
        Resource now = ofKind(Json.textAt(typed, "apiVersion"), info.kind());
        (now == null ? from : now).rules().applyDefaults(typed);
        return converted(call, typed, call.resource());
    }

    /** The subresource whose objects are of a kind of their own; null for the object itself and its status. */
    private static KindInfo.@Nullable Subresource part(Call call) {
        KindInfo info = call.resource().info();
        KindInfo.Subresource sub = call.subresource().isEmpty() ? null : info.subresource(call.subresource());
        return sub == null || sub.struct().equals(info.struct()) ? null : sub;
    }

    private ObjectNode converted(Call call, ObjectNode object, Resource wanted) {
        String present = Json.textAt(object, "apiVersion");
        if (present.equals(wanted.info().apiVersion())) {
            return object;
        }
        CustomVersion custom = wanted.custom();
        if (custom != null) {
            return custom.of(object);
        }
        int slash = present.indexOf('/');
        String group = slash < 0 ? "" : present.substring(0, slash);
        Resource own =
                table.find(group, present.substring(slash + 1), call.resource().name());
        ObjectNode stored = own == null ? object : Writes.toStored(own, object);
        return Writes.fromStored(wanted, stored);
    }
}
