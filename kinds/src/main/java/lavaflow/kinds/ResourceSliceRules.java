package lavaflow.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Slices of the devices that a driver offers. */
final class ResourceSliceRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.RETURNS_DELETED);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode device : Nodes.objects(object, "spec", "devices")) {
            for (JsonNode mapping :
                    Nodes.entries(device, "nodeAllocatableResourceMappings").values()) {
                if (mapping instanceof ObjectNode entry) {
                    Nodes.defaultValue(entry, "allocationMultiplier", Json.text("1"));
                }
            }
        }
    }

    @Override
    public void stamp(ObjectNode object, @Nullable ObjectNode old, String now) {
        for (ObjectNode device : Nodes.objects(object, "spec", "devices")) {
            for (ObjectNode taint : Nodes.objects(device, "taints")) {
                Nodes.defaultValue(taint, "timeAdded", Json.text(now));
            }
        }
    }

    @Override
    public List<String> warnings(ObjectNode object, @Nullable ObjectNode old) {
        String driver = Json.textAt(object, "spec", "driver");
        return driver.equals(driver.toLowerCase(Locale.ROOT))
                ? List.of()
                : List.of("spec.driver: driver names should be lowercase; " + FieldErrors.quoted(driver)
                        + " contains uppercase characters");
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("spec.nodeName", "spec.driver");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return selectableFields().contains(field) ? Json.textAt(object, field.split("\\.", -1)) : null;
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        ResourceSliceValidation.validate(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        ResourceSliceValidation.update(object, old, errors);
    }
}
