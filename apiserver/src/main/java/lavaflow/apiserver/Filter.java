package lavaflow.apiserver;

import java.util.HashMap;
import java.util.Map;

import lavaflow.kinds.KindRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Decides which objects of a bucket a list or watch is about. */
final class Filter {
    private final Resource resource;
    private final LabelSelector labels;
    private final FieldSelector fields;
    private final boolean everything;

    Filter(Resource resource, LabelSelector labels, FieldSelector fields) {
        this.resource = resource;
        this.labels = labels;
        this.fields = fields;
        this.everything = labels.isEverything() && fields.requirements().isEmpty();
        for (FieldSelector.Requirement requirement : fields.requirements()) {
            checkField(requirement.field());
        }
    }

    private void checkField(String field) {
        boolean known = field.equals("metadata.name")
                || field.equals("metadata.namespace")
                || resource.rules().selectableFields().contains(field);
        if (known) {
            return;
        }
        throw ApiException.badRequest(
                resource.rules().selectableFields().isEmpty() && resource.custom() == null
                        ? "\"" + field
                                + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                        : resource.rules().unknownField(field));
    }

    boolean matchesAll() {
        return everything;
    }

    boolean matches(StoredObject stored) {
        if (everything) {
            return true;
        }
        Head head = head(stored);
        return labels.matches(head.labels()) && fields.matches(head::field);
    }

    /** The parsed head is kept with the stored version, so that a thousand watchers parse an event once. */
    private Head head(StoredObject stored) {
        CustomVersion custom = resource.custom();
        if (custom != null) {
            return custom.head(stored, object -> Head.of(resource, object));
        }
        if (resource.bridge() != null) {
            ObjectNode object = StoredForm.decode(stored);
            boolean asStored = resource.has(KindRules.Trait.SEES_STORED_FORM);
            return Head.of(resource, asStored ? object : Writes.fromStored(resource, object));
        }
        if (stored.attachment() instanceof Head known) {
            return known;
        }
        Head parsed = Head.of(resource, StoredForm.decode(stored));
        stored.attachment(parsed);
        return parsed;
    }

    /** The few parts of an object that selectors look at. */
    record Head(@Nullable ObjectNode labels, Map<String, String> fields) {
        static Head of(Resource resource, ObjectNode object) {
            Map<String, String> fields = new HashMap<>();
            fields.put("metadata.name", Metadata.name(object));
            fields.put("metadata.namespace", Metadata.namespace(object));
            for (String field : resource.rules().selectableFields()) {
                String value = resource.rules().selectableField(object, field);
                fields.put(field, value == null ? "" : value);
            }
            return new Head(Json.objectAt(object, "metadata", "labels"), fields);
        }

        String field(String name) {
            return fields.getOrDefault(name, "");
        }
    }
}
