package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.ProtobufDecoder;
import lavaflow.kube.StrictJson;
import lavaflow.kube.TypedDecoder;
import lavaflow.kube.Types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** From bytes to an object of the expected kind: parsed, typed, defaulted, with strictness as the client asked. */
final class ObjectDecoder {
    private static final List<String> MEDIA_TYPES = List.of(Negotiation.JSON, Negotiation.YAML, Negotiation.PROTOBUF);

    /** The kind a body must be of. */
    record Expected(String group, String version, String kind, String struct) {
        static Expected of(KindInfo info) {
            return new Expected(info.group(), info.version(), info.kind(), info.struct());
        }

        static Expected of(KindInfo.Subresource sub) {
            return new Expected(sub.group(), sub.version(), sub.kind(), sub.struct());
        }

        String apiVersion() {
            return group.isEmpty() ? version : group + "/" + version;
        }
    }

    private ObjectDecoder() {}

    /** Reads the body of a create or update of the resource itself. */
    static ObjectNode request(Call call, Exchange exchange, KindInfo info) {
        ObjectNode object = request(call, exchange, Expected.of(info));
        call.resource().rules().applyDefaults(object);
        return object;
    }

    /** Reads a body that must be of some kind. */
    static ObjectNode request(Call call, Exchange exchange, Expected expected) {
        byte[] body = BodyReader.bytes(exchange);
        StrictJson.Document document = parse(call, exchange.header("Content-Type"), body, expected);
        return typed(call, document, expected);
    }

    /** The options of a delete, or null where the body is empty. */
    static @Nullable ObjectNode deleteOptions(Call call, Exchange exchange) {
        byte[] body = BodyReader.bytes(exchange);
        if (body.length == 0) {
            return null;
        }
        Expected expected = new Expected(
                "meta.k8s.io", "v1", "DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
        StrictJson.Document document = parse(call, exchange.header("Content-Type"), body, expected);
        if (!(document.root() instanceof ObjectNode object)) {
            throw ApiException.badRequest("the options of a delete must be an object");
        }
        String kind = Json.textAt(object, "kind");
        if (!kind.isEmpty() && !kind.equals("DeleteOptions")) {
            throw ApiException.badRequest("decoded object cannot be converted to DeleteOptions");
        }
        try {
            return TypedDecoder.decode(call.resource().types(), expected.struct(), document)
                    .object();
        } catch (DecodingException e) {
            throw cannotBeHandled(expected, e);
        }
    }

    private static StrictJson.Document parse(Call call, @Nullable String contentType, byte[] body, Expected expected) {
        String media = Negotiation.mediaType(contentType);
        try {
            return switch (media) {
                case "", Negotiation.JSON -> StrictJson.parse(body, StrictJson.Repeated.JOIN);
                case Negotiation.YAML -> Yaml.parse(body);
                case Negotiation.PROTOBUF -> protobuf(call, body, expected);
                default -> throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
            };
        } catch (DecodingException e) {
            throw cannotBeHandled(expected, e);
        }
    }

    /** Protobuf says no field names: the envelope's kind must be the expected one before the rest makes sense. */
    private static StrictJson.Document protobuf(Call call, byte[] body, Expected expected) throws DecodingException {
        ProtobufDecoder.Envelope envelope = ProtobufDecoder.envelope(body);
        ObjectNode type = Json.object();
        type.put("apiVersion", envelope.apiVersion()).put("kind", envelope.kind());
        if (!expected.kind().equals("DeleteOptions")) {
            checkType(type, expected);
        }
        return StrictJson.Document.of(ProtobufDecoder.decode(call.resource().types(), expected.struct(), envelope));
    }

    private static ApiException cannotBeHandled(Expected expected, DecodingException problem) {
        return ApiException.badRequest(expected.kind() + " in version " + FieldErrors.quoted(expected.version())
                + " cannot be handled as a " + expected.kind() + ": " + problem.getMessage());
    }

    /** Types a parsed document, with its unknown and repeated fields reported as the client asked. */
    static ObjectNode typed(Call call, StrictJson.Document document, Expected expected) {
        JsonNode root = document.root();
        if (!(root instanceof ObjectNode object)) {
            throw ApiException.badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal "
                    + (root.isArray() ? "array" : root.isTextual() ? "string" : root.isBoolean() ? "bool" : "number")
                    + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
                    + " Kind string \"json:\\\"kind,omitempty\\\"\" }");
        }
        checkType(object, expected);
        return typed(call, call.resource().types(), document, expected);
    }

    private static void checkType(ObjectNode object, Expected expected) {
        String apiVersion = Json.textAt(object, "apiVersion");
        String kind = Json.textAt(object, "kind");
        if (!apiVersion.isEmpty() && !apiVersion.equals(expected.apiVersion())) {
            throw ApiException.badRequest("the API version in the data (" + apiVersion
                    + ") does not match the expected API version (" + expected.apiVersion() + ")");
        }
        if (!kind.isEmpty() && !kind.equals(expected.kind())) {
            throw ApiException.badRequest(kind + " in version " + FieldErrors.quoted(expected.version())
                    + " cannot be handled as a " + expected.kind() + ": converting (" + kind + ") to ("
                    + expected.kind() + "): unknown conversion");
        }
    }

    private static ObjectNode typed(Call call, Types types, StrictJson.Document document, Expected expected) {
        TypedDecoder.Decoded decoded;
        try {
            decoded = TypedDecoder.decode(types, expected.struct(), document);
        } catch (DecodingException e) {
            throw cannotBeHandled(expected, e);
        }
        if (!decoded.problems().isEmpty()) {
            switch (call.fieldValidation()) {
                case IGNORE -> {}
                case WARN -> decoded.problems().forEach(call::warn);
                case STRICT ->
                    throw ApiException.badRequest(expected.kind() + " in version "
                            + FieldErrors.quoted(expected.version()) + " cannot be handled as a " + expected.kind()
                            + ": strict decoding error: " + String.join(", ", decoded.problems()));
            }
        }
        ObjectNode object = decoded.object();
        object.put("apiVersion", expected.apiVersion());
        object.put("kind", expected.kind());
        return object;
    }
}
