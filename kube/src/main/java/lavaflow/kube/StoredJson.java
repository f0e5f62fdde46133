package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
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
        parser.in.skipSpace();
        if (!parser.in.atEnd()) {
            throw parser.in.unexpected("after top-level value");
        }
        return root;
    }

    private JsonNode value() throws DecodingException {
        in.skipSpace();
        return switch (in.current()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> {
                in.skip();
                yield Json.FACTORY.textNode(in.string());
            }
            case 't' -> in.literal("true", Json.FACTORY.booleanNode(true));
            case 'f' -> in.literal("false", Json.FACTORY.booleanNode(false));
            case 'n' -> in.literal("null", NullNode.getInstance());
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> in.number();
            default -> throw in.unexpected("looking for beginning of value");
        };
    }

    private ObjectNode object() throws DecodingException {
        enter();
        ObjectNode object = Json.FACTORY.objectNode();
        boolean more = begin('}');
        while (more) {
            in.skipSpace();
            if (in.current() != '"') {
                throw in.unexpected("looking for beginning of object key string");
            }
            in.skip();
            String key = in.key();
            in.skipSpace();
            if (in.current() != ':') {
                throw in.unexpected("after object key");
            }
            in.skip();
            object.set(key, value());
            more = goOn('}', "after object key:value pair");
        }
        depth--;
        return object;
    }

    private ArrayNode array() throws DecodingException {
        enter();
        ArrayNode array = Json.FACTORY.arrayNode();
        boolean more = begin(']');
        while (more) {
            array.add(value());
            more = goOn(']', "after array element");
        }
        depth--;
        return array;
    }

    private void enter() throws DecodingException {
        if (++depth > Json.MAX_DEPTH) {
            throw new DecodingException("exceeded max depth");
        }
    }

    /** Steps over the opening bracket; false if the closing one follows. */
    private boolean begin(int end) {
        in.skip();
        in.skipSpace();
        if (in.current() != end) {
            return true;
        }
        in.skip();
        return false;
    }

    /** Steps over what follows a member; false if that is the closing bracket. */
    private boolean goOn(int end, String where) throws DecodingException {
        in.skipSpace();
        int c = in.current();
        if (c != ',' && c != end) {
            throw in.unexpected(where);
        }
        in.skip();
        return c == ',';
    }
}
