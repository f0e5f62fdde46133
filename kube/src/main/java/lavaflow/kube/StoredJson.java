package lavaflow.kube;

import java.util.Arrays;

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
    /** What was read of objects and lists that have not ended yet: each gets just the room it needs when it does. */
    private Object[] open = new Object[64];

    private int top;

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
        int first = top;
        boolean more = in.begin('}');
        while (more) {
            push(in.member());
            push(value());
            more = in.goOn('}', "after object key:value pair");
        }
        depth--;
        ObjectNode object = new JsonObject(Members.of(open, first, top));
        top = first;
        return object;
    }

    private ArrayNode array() throws DecodingException {
        enter();
        int first = top;
        boolean more = in.begin(']');
        while (more) {
            push(value());
            more = in.goOn(']', "after array element");
        }
        depth--;
        ArrayNode array = Json.FACTORY.arrayNode(top - first);
        for (int at = first; at < top; at++) {
            array.add((JsonNode) open[at]);
        }
        top = first;
        return array;
    }

    private void push(Object read) {
        if (top == open.length) {
            open = Arrays.copyOf(open, 2 * top);
        }
        open[top++] = read;
    }

    private void enter() throws DecodingException {
        if (++depth > Json.MAX_DEPTH) {
            throw new DecodingException("exceeded max depth");
        }
    }
}
