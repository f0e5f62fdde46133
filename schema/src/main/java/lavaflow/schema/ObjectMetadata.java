package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Types and metadata of custom objects and of the objects embedded in them. */
public final class ObjectMetadata {
    private ObjectMetadata() {}

    /**
     * Brings metadata of the object and of embedded objects into the form that decoding into the metadata type gives.
     *
     * @param dropInvalid drop what does not fit instead of refusing it, as for stored objects
     * @return unknown fields of metadata, as sorted paths
     * @throws DecodingException where something does not fit
     */
    public static List<String> coerce(ObjectNode object, StructuralSchema schema, boolean dropInvalid)
            throws DecodingException {
        return new ArrayList<>(0);
    }

    /** Checks types and metadata of embedded objects. */
    public static void validate(ObjectNode object, StructuralSchema schema, FieldErrors errors) {}
}
