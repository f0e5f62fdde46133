package lavaflow.kinds;

import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Events, as stored: core/v1.
 *
 * <p>Also the rules for clients of events.k8s.io/v1, whose objects are converted by {@link EventBridge} before the rules
 * see them: they select by other names, and new events must be complete.
 */
final class EventRules implements KindRules {
    private static final Set<String> FIELDS = Set.of(
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type");

    private static final Set<String> REGARDING_FIELDS = Set.of(
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
            "type");

    private final boolean regarding;

    /** @param regarding whether the client speaks events.k8s.io/v1 */
    EventRules(boolean regarding) {
        this.regarding = regarding;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.CREATE_ON_UPDATE, Trait.RELAXED_DURABILITY, Trait.SEES_STORED_FORM);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Nothing is the server's to decide.
    }

    @Override
    public Set<String> selectableFields() {
        return regarding ? REGARDING_FIELDS : FIELDS;
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        if (!selectableFields().contains(field)) {
            return null;
        }
        if (field.equals("source")) {
            String component = Json.textAt(object, "source", "component");
            return component.isEmpty() ? Json.textAt(object, "reportingComponent") : component;
        }
        String stored = field.equals("reportingController")
                ? "reportingComponent"
                : field.replaceFirst("^regarding\\.", "involvedObject.");
        return Json.textAt(object, stored.split("\\.", -1));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        EventValidation.any(object, regarding, errors);
        if (regarding) {
            EventValidation.strict(object, errors);
        }
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        EventValidation.any(object, regarding, errors);
        if (regarding) {
            EventValidation.strictUpdate(object, old, errors);
        }
    }
}
