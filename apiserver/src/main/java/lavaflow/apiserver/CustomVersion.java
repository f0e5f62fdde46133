package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.ManagedFields;
import lavaflow.kube.Types;
import lavaflow.schema.CustomObjects;
import lavaflow.schema.Defaulting;
import lavaflow.schema.PrinterColumns;
import lavaflow.schema.Pruning;
import lavaflow.schema.SchemaTypes;
import lavaflow.schema.SchemaValidator;
import lavaflow.schema.StructuralSchema;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One version of a custom kind: its schema, made when it is first needed, and its objects in the store.
 *
 * <p>What is stored may be in any version the kind once stored, and may have been stored under an older schema. Reading
 * prunes and completes it by the schema of the version it is stored in, then converts it. Most objects come out as they
 * went in, which is remembered with them ({@link CustomView}): those are read by copying bytes.
 */
final class CustomVersion {
    /** What the schema is made into. */
    private record Compiled(StructuralSchema schema, Types types, SchemaValidator validator) {}

    private final CustomKind kind;
    private final Definition.Version description;
    private final String apiVersion;
    private final Object token = new Object();
    private final CustomRules rules;
    private final Map<String, ManagedFields> endpoints = new ConcurrentHashMap<>();
    private volatile @Nullable Compiled compiled;
    private volatile @Nullable PrinterColumns columns;

    CustomVersion(CustomKind kind, Definition.Version description) {
        this.kind = kind;
        this.description = description;
        this.apiVersion = kind.definition().group() + "/" + description.name();
        this.rules = new CustomRules(this);
    }

    CustomKind kind() {
        return kind;
    }

    Definition.Version description() {
        return description;
    }

    String apiVersion() {
        return apiVersion;
    }

    CustomRules rules() {
        return rules;
    }

    /** Stands for this version and its schema in what is remembered of objects. */
    Object token() {
        return token;
    }

    /** The name of the struct of its objects. */
    String root() {
        return apiVersion + "/" + kind.names().kind();
    }

    GroupVersionKind type() {
        return new GroupVersionKind(
                kind.definition().group(), description.name(), kind.names().kind());
    }

    private Compiled compiled() {
        Compiled known = compiled;
        return known != null ? known : compile();
    }

    /** Once: types know their structs by those that led to them, and who began with others would not be understood. */
    private synchronized Compiled compile() {
        Compiled known = compiled;
        if (known == null) {
            StructuralSchema schema = StructuralSchema.parse(kind.schema(description.name()));
            known = new Compiled(
                    schema, new SchemaTypes(schema, root()), new SchemaValidator(schema, description.scale()));
            compiled = known;
        }
        return known;
    }

    StructuralSchema schema() {
        return compiled().schema();
    }

    Types types() {
        return compiled().types();
    }

    SchemaValidator validator() {
        return compiled().validator();
    }

    PrinterColumns columns() {
        PrinterColumns known = columns;
        if (known == null) {
            known = PrinterColumns.of(description.node());
            columns = known;
        }
        return known;
    }

    /** Who owns which fields of what is written through an endpoint of this version. */
    ManagedFields ownership(String subresource, Function<String, ManagedFields> make) {
        return endpoints.computeIfAbsent(subresource, make);
    }

    /** Prunes and completes an object of this version, in place. */
    void complete(ObjectNode object) {
        StructuralSchema schema = schema();
        Pruning.prune(object, schema);
        Defaulting.apply(object, schema);
    }

    private void repair(ObjectNode object) {
        CustomObjects.read(object, schema());
    }

    /** A stored object in this version. */
    ObjectNode decode(StoredObject stored) {
        CustomView view = CustomView.find(stored, token);
        return view != null
                ? Json.parseObject(view.bytes())
                : decode(List.of(stored)).getFirst();
    }

    /** Stored objects in this version, in the same order. */
    List<ObjectNode> decode(List<StoredObject> all) {
        List<ObjectNode> objects = new ArrayList<>(all.size());
        List<Integer> foreign = new ArrayList<>();
        for (StoredObject stored : all) {
            CustomView view = CustomView.find(stored, token);
            if (view != null) {
                objects.add(Json.parseObject(view.bytes()));
                continue;
            }
            ObjectNode object = repaired(stored);
            if (!Json.textAt(object, "apiVersion").equals(apiVersion)) {
                foreign.add(objects.size());
            }
            objects.add(object);
        }
        if (!foreign.isEmpty()) {
            convert(all, objects, foreign);
        }
        return objects;
    }

    private ObjectNode repaired(StoredObject stored) {
        ObjectNode object = StoredForm.decode(stored);
        CustomVersion home = kind.version(Json.textAt(object, "apiVersion"));
        if (home == null) {
            return object;
        }
        home.repair(object);
        if (home == this && object.equals(StoredForm.decode(stored))) {
            CustomView.keep(stored, token, stored.bytes(), kind);
        }
        return object;
    }

    private void convert(List<StoredObject> all, List<ObjectNode> objects, List<Integer> positions) {
        List<ObjectNode> converted =
                converted(positions.stream().map(objects::get).toList());
        for (int i = 0; i < positions.size(); i++) {
            int position = positions.get(i);
            objects.set(position, converted.get(i));
            if (!kind.conversion().isCheap()) {
                CustomView.keep(all.get(position), token, Json.bytes(converted.get(i)), kind);
            }
        }
    }

    private List<ObjectNode> converted(List<ObjectNode> objects) {
        List<ObjectNode> converted = kind.conversion().convert(objects, apiVersion);
        converted.forEach(object -> Pruning.prune(object, schema()));
        return converted;
    }

    /** An object of any version of the kind in this one; the argument may be changed. */
    ObjectNode of(ObjectNode object) {
        return Json.textAt(object, "apiVersion").equals(apiVersion)
                ? object
                : converted(List.of(object)).getFirst();
    }

    /** An object of this version as it is stored. */
    ObjectNode toStorage(ObjectNode object) {
        return kind.storage() == this ? object : kind.storage().of(object.deepCopy());
    }

    /** The JSON of a stored object in this version. */
    byte[] bytes(StoredObject stored) {
        CustomView view = CustomView.find(stored, token);
        if (view == null) {
            ObjectNode object = decode(stored);
            view = CustomView.find(stored, token);
            return view == null ? Json.bytes(object) : view.bytes();
        }
        return view.bytes();
    }

    /** Makes sure that objects of a list are converted in one go. */
    void prepare(List<StoredObject> objects) {
        if (kind.conversion().isCheap()) {
            return;
        }
        List<StoredObject> unknown = objects.stream()
                .filter(stored -> CustomView.find(stored, token) == null)
                .toList();
        if (!unknown.isEmpty()) {
            decode(unknown);
        }
    }

    /** What has just been stored through this version needs no look when it is read. */
    void committed(StoredObject stored) {
        if (kind.storage() == this) {
            CustomView.keep(stored, token, stored.bytes(), kind);
        }
    }

    Filter.Head head(StoredObject stored, Function<ObjectNode, Filter.Head> parse) {
        CustomView view = CustomView.find(stored, token);
        Filter.Head known = view == null ? null : view.head();
        if (known != null) {
            return known;
        }
        Filter.Head parsed = parse.apply(decode(stored));
        CustomView made = CustomView.find(stored, token);
        if (made != null) {
            made.head(parsed);
        }
        return parsed;
    }

    /** The schema as the definition has it. */
    @Nullable
    JsonNode publishedSchema() {
        return kind.schema(description.name());
    }
}
