package lavaflow.kinds;

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
}
