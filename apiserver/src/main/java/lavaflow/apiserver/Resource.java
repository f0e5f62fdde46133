package lavaflow.apiserver;

import java.util.List;

import lavaflow.kinds.KindRules;
import lavaflow.kinds.VersionBridge;
import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.PrintedForm;
import lavaflow.kube.Types;
import lavaflow.store.Content;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One kind in one version, served at one path.
 *
 * @param bucket where its objects are stored; versions of one kind share it
 * @param bridge converts between this version and the stored one; null where this is the stored one
 * @param stored apiVersion and kind as stored
 * @param custom what a definition says of it; null for built-in kinds
 */
public record Resource(
        KindInfo info,
        Types types,
        KindRules rules,
        String bucket,
        @Nullable VersionBridge bridge,
        KindInfo stored,
        @Nullable CustomVersion custom) {

    private static final String METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    private static final String COMPONENTS = "componentstatuses";
    /** Upstream's only resource whose errors name it otherwise. */
    private static final String COMPONENT = "componentstatus";

    public String group() {
        return info.group();
    }

    public String name() {
        return info.resource();
    }

    public boolean namespaced() {
        return info.namespaced();
    }

    public boolean has(KindRules.Trait trait) {
        return rules.traits().contains(trait);
    }

    /** The key of an object in the bucket. */
    public String key(String namespace, String name) {
        return namespaced() ? namespace + "/" + name : name;
    }

    /** A stored object as the rules of this resource see it. */
    ObjectNode decode(StoredObject object) {
        return custom == null ? StoredForm.decode(object) : custom.decode(object);
    }

    /** A stored object as clients of this version see it. */
    ObjectNode read(StoredObject object) {
        return Writes.fromStored(this, decode(object));
    }

    /** Several at once, because conversion of custom objects may have to ask somebody. */
    List<ObjectNode> read(List<StoredObject> objects) {
        return custom == null ? objects.stream().map(this::read).toList() : custom.decode(objects);
    }

    /** What is stored of an object that the rules of this resource let pass. */
    Content encode(ObjectNode object) {
        return StoredForm.encodeOrdered(ordered(object));
    }

    /** The object as it is stored, in the order in which it is. */
    ObjectNode ordered(ObjectNode object) {
        return StoredForm.ordered(custom == null ? object : custom.toStorage(object));
    }

    /** The JSON of a stored object as clients of this version see it. */
    byte[] bytes(StoredObject object) {
        if (custom != null) {
            return custom.bytes(object);
        }
        return bridge == null ? object.bytes() : Json.bytes(read(object));
    }

    public ApiException notFound(String name) {
        return ApiException.notFound(group(), info.resource().equals(COMPONENTS) ? COMPONENT : name(), name);
    }

    public ApiException modified(String name) {
        return ApiException.modified(group(), name(), name);
    }

    /** Upstream names the kind by the group that stores it: an Event of events.k8s.io is one of the core group. */
    public ApiException invalid(String name, FieldErrors errors) {
        return ApiException.invalid(stored.group(), stored.kind(), name, errors.list());
    }

    /** As {@link #invalid(String, FieldErrors)}; a custom object may be of a kind that is not even its own. */
    ApiException invalid(ObjectNode object, FieldErrors errors) {
        if (custom == null) {
            return invalid(Metadata.name(object), errors);
        }
        GroupVersionKind type = GroupVersionKind.of(object);
        return ApiException.invalid(type.group(), type.kind(), Metadata.name(object), errors.list());
    }

    /** Puts an object that rules have changed back into the form in which it is shown. */
    void restoreForm(ObjectNode object) {
        if (custom == null) {
            PrintedForm.restore(types, stored.struct(), object);
        } else {
            PrintedForm.restore(BuiltinTypes.instance(), METADATA, Metadata.of(object));
        }
    }

    public ApiException forbidden(String name, String why) {
        return ApiException.forbidden(group(), name(), name, why);
    }
}
