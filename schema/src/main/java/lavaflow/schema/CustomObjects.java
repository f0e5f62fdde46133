package lavaflow.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import lavaflow.kube.DecodingException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** From a JSON tree to an object of a custom kind, for requests and for what was stored. */
public final class CustomObjects {
    private CustomObjects() {}

    /**
     * Does to the body of a request what decoding does: removes what the schema does not know, brings metadata into form, fills in
     * defaults.
     *
     * @return complaints about unknown fields for who asked to hear them: {@code unknown field "spec.odd"}
     * @throws DecodingException where metadata is not what it should be; the message belongs behind
     *     {@code Kind in version "v1" cannot be handled as a Kind:}
     */
    public static List<String> decode(ObjectNode object, StructuralSchema schema) throws DecodingException {
        List<String> unknown = new ArrayList<>(Pruning.pruneAndReport(object, schema));
        Defaulting.dropNulls(object, schema);
        unknown.addAll(ObjectMetadata.coerce(object, schema, false));
        Defaulting.fill(object, schema);
        Collections.sort(unknown);
        unknown.replaceAll(path -> "unknown field \"" + path + "\"");
        return unknown;
    }

    /** Brings a stored object in line with a schema that may have changed since; what does not fit is dropped. */
    public static void read(ObjectNode object, StructuralSchema schema) {
        Pruning.prune(object, schema);
        Defaulting.dropNulls(object, schema);
        try {
            ObjectMetadata.coerce(object, schema, true);
        } catch (DecodingException e) {
            throw new IllegalStateException("nothing is refused where what does not fit is dropped", e);
        }
        Defaulting.fill(object, schema);
    }
}
