package lavaflow.kube;

import java.io.IOException;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An object node that is made of {@link Members}, and so are its copies. */
@SuppressWarnings("unchecked") // Jackson's deepCopy answers with whatever type is asked for.
final class JsonObject extends ObjectNode {
    private static final long serialVersionUID = 1;

    JsonObject(Members members) {
        super(Json.FACTORY, members);
    }

    private Members members() {
        return (Members) _children;
    }

    @Override
    public ObjectNode deepCopy() {
        return new JsonObject(members().deepCopy());
    }

    /** As Jackson's, but nothing is made for each member on the way. */
    @Override
    public void serialize(JsonGenerator out, SerializerProvider provider) throws IOException {
        out.writeStartObject(this);
        members().writeTo(out, provider);
        out.writeEndObject();
    }
}
