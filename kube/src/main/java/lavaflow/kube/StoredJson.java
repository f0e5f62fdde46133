package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Parses JSON that this program wrote itself: no key is repeated, so none is remembered.
 *
 * <p>Not by Jackson, whose table of field names is copied whenever a name is new: the names in {@code managedFields}
 * contain addresses and uids, so almost every object of a large cluster has a new one, and copying took half of what parsing
 * allocated.
 */
final class StoredJson {
    private final JsonScanner in;
    private int depth;

    private StoredJson(byte[] in) {
        this.in = new JsonScanner(in);
    }

    /** Parses one document; anything but white space after it is an error. */
    static JsonNode parse(byte[] bytes) throws DecodingException {
        StoredJson parser = new StoredJson(bytes);
        JsonNode root = parser.value();
        parser.in.finish();
        return root;
    }

    private JsonNode value() throws DecodingException {
        in.skipSpace();
        return switch (in.current()) {
            case '{' -> object();
            case '[' -> array();
            default -> in.scalar();
        };
    }

    private ObjectNode object() throws DecodingException {
        enter();
        ObjectNode object = Json.FACTORY.objectNode();
        boolean more = in.begin('}');
        while (more) {
            object.set(in.member(), value());
            more = in.goOn('}', "after object key:value pair");
        }
        depth--;
        return object;
    }

    private ArrayNode array() throws DecodingException {
        enter();
        ArrayNode array = Json.FACTORY.arrayNode();
        boolean more = in.begin(']');
        while (more) {
            array.add(value());
            more = in.goOn(']', "after array element");
        }
        depth--;
        return array;
    }

    private void enter() throws DecodingException {
        if (++depth > Json.MAX_DEPTH) {
            throw new DecodingException("exceeded max depth");
        }
    }
}
