package lavaflow.kube;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Checks metadata, which is the same for every kind but for the form of names.
 *
 * <p>Upstream checks updates several times over and repeats its causes. Complaints about changes are repeated here too;
 * those about the form of metadata, which only some kinds repeat, appear once, in the order of their first appearance.
 */
public final class ObjectMetaRules {
    public static final int ANNOTATIONS_SIZE = 256 << 10;

    private static final FieldPath METADATA = FieldPath.of("metadata");
    private static final String IMMUTABLE = "field is immutable";
    private static final String ORPHAN = "orphan";
    private static final String FOREGROUND = "foregroundDeletion";
    private static final Set<String> STANDARD_FINALIZERS = Set.of("kubernetes", ORPHAN, FOREGROUND);
    private static final List<String> OWNER_FIELDS =
            List.of("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion");
    private static final List<String> FIXED =
            List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds");

    private ObjectMetaRules() {}

    /**
     * Checks the metadata of a new object of a built-in kind; its name has been generated already.
     *
     * @param namespaced whether the kind lives in namespaces
     */
    public static void create(JsonNode metadata, boolean namespaced, Names.Rule names, FieldErrors errors) {
        check(metadata, namespaced, names, METADATA, errors);
        builtinFinalizers(metadata, METADATA, errors);
    }

    /**
     * Checks the metadata of a changed object of a built-in kind. Identity and timestamps that the client left out have
     * been filled in from the old object already. The name needs only fit into a URL: it may be older than today's rules.
     */
    public static void update(JsonNode metadata, JsonNode old, boolean namespaced, FieldErrors errors) {
        customUpdate(metadata, old, namespaced, errors);
        builtinFinalizers(metadata, METADATA, errors);
    }

    /** As {@link #create} for a custom resource, whose finalizers may have any name. */
    public static void customCreate(JsonNode metadata, boolean namespaced, Names.Rule names, FieldErrors errors) {
        check(metadata, namespaced, names, METADATA, errors);
    }

    /** As {@link #update} for a custom resource. */
    public static void customUpdate(JsonNode metadata, JsonNode old, boolean namespaced, FieldErrors errors) {
        check(metadata, namespaced, Names.PATH_SEGMENT, METADATA, errors);
        // Once for every object and once more with the rules of its kind: upstream's causes show both.
        changes(metadata, old, errors);
        changes(metadata, old, errors);
    }

    /** Checks the metadata of an object inside a custom one, which need not have a name. */
    public static void embedded(ObjectNode metadata, FieldPath path, FieldErrors errors) {
        boolean named = !Json.textAt(metadata, "name").isEmpty();
        JsonNode checked = named ? metadata : metadata.deepCopy().put("name", "fakename");
        check(checked, !Json.textAt(metadata, "namespace").isEmpty(), Names.PATH_SEGMENT, path, errors);
    }

    private static void check(
            JsonNode metadata, boolean namespaced, Names.Rule names, FieldPath path, FieldErrors errors) {
        names(metadata, names, path, errors);
        namespace(metadata, namespaced, path.child("namespace"), errors);
        long generation = Json.longAt(metadata, 0, "generation");
        if (generation < 0) {
            errors.invalid(path.child("generation"), generation, "must be greater than or equal to 0");
        }
        labels(Json.at(metadata, "labels"), path.child("labels"), errors);
        annotations(Json.at(metadata, "annotations"), path.child("annotations"), errors);
        ownerReferences(Json.listAt(metadata, "ownerReferences"), path.child("ownerReferences"), errors);
        finalizers(Json.listAt(metadata, "finalizers"), path.child("finalizers"), errors);
        ManagedFieldsRules.check(Json.listAt(metadata, "managedFields"), path.child("managedFields"), errors);
    }

    private static void names(JsonNode metadata, Names.Rule names, FieldPath path, FieldErrors errors) {
        String prefix = Json.textAt(metadata, "generateName");
        if (!prefix.isEmpty()) {
            names.check(prefix, true).forEach(why -> errors.invalid(path.child("generateName"), prefix, why));
        }
        String name = Json.textAt(metadata, "name");
        if (name.isEmpty()) {
            errors.required(path.child("name"), "name or generateName is required");
        } else {
            names.check(name, false).forEach(why -> errors.invalid(path.child("name"), name, why));
        }
    }

    private static void namespace(JsonNode metadata, boolean namespaced, FieldPath path, FieldErrors errors) {
        String namespace = Json.textAt(metadata, "namespace");
        if (!namespaced) {
            if (!namespace.isEmpty()) {
                errors.forbidden(path, "not allowed on this type");
            }
        } else if (namespace.isEmpty()) {
            errors.required(path);
        } else {
            Names.dns1123Label(namespace).forEach(why -> errors.invalid(path, namespace, why));
        }
    }

    /** Checks a map of labels, wherever it stands. */
    public static void labels(@Nullable JsonNode labels, FieldPath path, FieldErrors errors) {
        if (labels == null) {
            return;
        }
        labels.properties().forEach(label -> {
            labelName(label.getKey(), path, errors);
            String value = label.getValue().asText();
            Names.labelValue(value).forEach(why -> errors.invalid(path, value, why));
        });
    }

    /** Checks the key of a label. */
    public static void labelName(String key, FieldPath path, FieldErrors errors) {
        Names.qualifiedName(key).forEach(why -> errors.invalid(path, key, why));
    }

    /** Checks a map of annotations, wherever it stands: keys in any case, size of all together. */
    public static void annotations(@Nullable JsonNode annotations, FieldPath path, FieldErrors errors) {
        if (annotations == null) {
            return;
        }
        long size = 0;
        for (var annotation : annotations.properties()) {
            String key = annotation.getKey();
            Names.qualifiedName(key.toLowerCase(Locale.ROOT)).forEach(why -> errors.invalid(path, key, why));
            size += Names.utf8Length(key)
                    + (long) Names.utf8Length(annotation.getValue().asText());
        }
        if (size > ANNOTATIONS_SIZE) {
            errors.tooLong(path, ANNOTATIONS_SIZE);
        }
    }

    private static void ownerReferences(ArrayNode owners, FieldPath path, FieldErrors errors) {
        String controller = "";
        for (JsonNode owner : owners) {
            ownerReference(owner, path, errors);
            if (Json.flagAt(owner, "controller")) {
                String current = Json.textAt(owner, "kind") + "/" + Json.textAt(owner, "name");
                if (controller.isEmpty()) {
                    controller = current;
                } else {
                    ArrayNode shown = Json.array();
                    owners.forEach(one -> shown.add(inDeclaredOrder(one)));
                    errors.invalid(
                            path,
                            shown,
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + current);
                }
            }
        }
    }

    private static void ownerReference(JsonNode owner, FieldPath path, FieldErrors errors) {
        GroupVersionKind kind = GroupVersionKind.of(owner);
        if (kind.version().isEmpty()) {
            errors.invalid(path.child("apiVersion"), Json.textAt(owner, "apiVersion"), "version must not be empty");
        }
        for (String field : List.of("kind", "name", "uid")) {
            if (Json.textAt(owner, field).isEmpty()) {
                errors.invalid(path.child(field), "", "must not be empty");
            }
        }
        if (kind.equals(new GroupVersionKind("", "v1", "Event"))) {
            errors.invalid(path, inDeclaredOrder(owner), kind + " is disallowed from being an owner");
        }
    }

    /** Upstream shows the reference as its struct prints it. */
    private static ObjectNode inDeclaredOrder(JsonNode owner) {
        ObjectNode ordered = Json.object();
        for (String field : OWNER_FIELDS) {
            JsonNode value = Json.at(owner, field);
            if (value != null) {
                ordered.set(field, value);
            } else if (OWNER_FIELDS.indexOf(field) < 4) {
                ordered.put(field, "");
            }
        }
        return ordered;
    }

    private static void finalizers(ArrayNode finalizers, FieldPath path, FieldErrors errors) {
        boolean orphan = false;
        boolean foreground = false;
        for (JsonNode finalizer : finalizers) {
            String name = finalizer.asText();
            labelName(name, path, errors);
            orphan |= name.equals(ORPHAN);
            foreground |= name.equals(FOREGROUND);
        }
        if (orphan && foreground) {
            errors.invalid(path, finalizers, "finalizer " + ORPHAN + " and " + FOREGROUND + " cannot be both set");
        }
    }

    private static void builtinFinalizers(JsonNode metadata, FieldPath path, FieldErrors errors) {
        int index = 0;
        for (JsonNode finalizer : Json.listAt(metadata, "finalizers")) {
            builtinFinalizer(finalizer.asText(), path.child("finalizers").index(index++), errors);
        }
    }

    /** Built-in kinds know a few short finalizers; all others have a domain. */
    public static void builtinFinalizer(String name, FieldPath path, FieldErrors errors) {
        if (name.indexOf('/') < 0 && !STANDARD_FINALIZERS.contains(name)) {
            errors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
        }
    }

    private static void changes(JsonNode metadata, JsonNode old, FieldErrors errors) {
        if (Json.at(old, "deletionTimestamp") != null) {
            newFinalizers(Json.listAt(metadata, "finalizers"), Json.listAt(old, "finalizers"), errors);
        }
        if (Json.textAt(metadata, "resourceVersion").isEmpty()) {
            errors.invalid(METADATA.child("resourceVersion"), "", "must be specified for an update");
        }
        long generation = Json.longAt(metadata, 0, "generation");
        if (generation < Json.longAt(old, 0, "generation")) {
            errors.invalid(METADATA.child("generation"), generation, "must not be decremented");
        }
        for (String field : FIXED) {
            immutable(Json.at(metadata, field), Json.at(old, field), METADATA.child(field), errors);
        }
    }

    /** Complains about a value that differs from what it was. */
    public static void immutable(@Nullable JsonNode value, @Nullable JsonNode old, FieldPath path, FieldErrors errors) {
        if (!Objects.equals(value, old)) {
            errors.invalid(path, value, IMMUTABLE);
        }
    }

    private static void newFinalizers(ArrayNode finalizers, ArrayNode old, FieldErrors errors) {
        Set<String> added = new TreeSet<>();
        finalizers.forEach(finalizer -> added.add(finalizer.asText()));
        old.forEach(finalizer -> added.remove(finalizer.asText()));
        if (!added.isEmpty()) {
            String list = added.stream().map(GoQuote::quote).collect(Collectors.joining(", ", "[]string{", "}"));
            errors.forbidden(
                    METADATA.child("finalizers"),
                    "no new finalizers can be added if the object is being deleted, found new finalizers " + list);
        }
    }
}
