package lavaflow.kinds;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Config maps: keys are file names, text and bytes share them, and {@code immutable} is for ever. */
final class ConfigMapRules implements KindRules {
    @Override
    public void prepareForCreate(ObjectNode object) {
        // Nothing is the server's to decide.
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        // Nothing is the server's to decide.
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        DataValidation.configMap(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        DataValidation.frozen(object, old, errors, "data", "binaryData");
        DataValidation.configMap(object, errors);
    }
}
