package lavaflow.schema;

import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Judges custom objects by the schema of their kind, in upstream's words. */
public final class SchemaValidator {
    private final StructuralSchema schema;

    public SchemaValidator(StructuralSchema schema) {
        this.schema = schema;
    }

    /**
     * Checks values, embedded metadata, lists that are sets or maps, and rules.
     *
     * @param old what the object was, whose unchanged parts are tolerated even if they are wrong; null on create
     */
    public void validate(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        ObjectMetadata.validate(object, schema, errors);
    }
}
