package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.BodyDecoder;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.StrictJson;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** From bytes to an object of the expected kind: parsed, typed, defaulted, with strictness as the client asked. */
final class ObjectDecoder {
    private static final List<String> MEDIA_TYPES = List.of(Negotiation.JSON, Negotiation.YAML, Negotiation.PROTOBUF);
    private static final List<String> CUSTOM_TYPES = List.of(Negotiation.JSON, Negotiation.YAML);
    private static final String DELETE_OPTIONS = "DeleteOptions";

    /** The kind a body must be of. */
    record Expected(String group, String version, String kind, String struct) {
        static Expected of(KindInfo info) {
            return new Expected(info.group(), info.version(), info.kind(), info.struct());
        }

        static Expected of(KindInfo.Subresource sub) {
            return new Expected(sub.group(), sub.version(), sub.kind(), sub.struct());
        }

        GroupVersionKind type() {
            return new GroupVersionKind(group, version, kind);
        }
    }

    private ObjectDecoder() {}

    /** Reads the body of a create or update of the resource itself. */
    static ObjectNode request(Call call, Exchange exchange, KindInfo info) {
        CustomVersion custom = call.resource().custom();
        ObjectNode object = custom == null
                ? read(call, exchange, Expected.of(info))
                : CustomDecoder.body(call, custom, customFormat(exchange), BodyReader.bytes(exchange));
        call.resource().rules().applyDefaults(object);
        exchange.audit().requestObject(object);
        return object;
    }

    /** Reads a body that must be of some kind. */
    static ObjectNode request(Call call, Exchange exchange, Expected expected) {
        ObjectNode object = read(call, exchange, expected);
        exchange.audit().requestObject(object);
        return object;
    }

    private static ObjectNode read(Call call, Exchange exchange, Expected expected) {
        BodyDecoder.Format format = format(exchange);
        BodyDecoder.Body body = BodyDecoder.builtin(format, BodyReader.bytes(exchange), expected.type());
        switch (call.fieldValidation()) {
            case IGNORE -> {}
            case WARN -> body.warnings().forEach(call::warn);
            case STRICT -> {
                ApiException refusal = body.strictRefusal(expected.type());
                if (refusal != null) {
                    throw refusal;
                }
            }
        }
        return body.object();
    }

    private static BodyDecoder.Format format(Exchange exchange) {
        return switch (Negotiation.mediaType(exchange.header("Content-Type"))) {
            case "" -> {
                String header = exchange.header("Content-Type");
                if (header != null && !header.isBlank()) {
                    throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
                }
                yield BodyDecoder.Format.JSON;
            }
            case Negotiation.JSON -> BodyDecoder.Format.JSON;
            case Negotiation.YAML -> BodyDecoder.Format.YAML;
            case Negotiation.PROTOBUF -> BodyDecoder.Format.PROTOBUF;
            default -> throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
        };
    }

    /** Custom kinds have no protobuf form. */
    private static BodyDecoder.Format customFormat(Exchange exchange) {
        return switch (Negotiation.mediaType(exchange.header("Content-Type"))) {
            case Negotiation.PROTOBUF -> throw BodyReader.unsupportedMediaType(CUSTOM_TYPES);
            case "", Negotiation.JSON, Negotiation.YAML -> format(exchange);
            default -> throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
        };
    }

    /** The options of a delete, or null where the body is empty. Upstream takes them under any group's version. */
    static @Nullable ObjectNode deleteOptions(Exchange exchange) {
        byte[] body = BodyReader.bytes(exchange);
        if (body.length == 0) {
            return null;
        }
        ObjectNode options = BodyDecoder.options(format(exchange), body, DELETE_OPTIONS);
        if (exchange.audit().wantsRequest()) {
            // Upstream writes down the form it works with, under this name.
            ObjectNode shown = Json.object();
            shown.put("kind", DELETE_OPTIONS).put("apiVersion", "meta.k8s.io/__internal");
            shown.setAll((ObjectNode) options.deepCopy().without(List.of("kind", "apiVersion")));
            exchange.audit().requestPatch(shown);
        }
        return options;
    }

    /** Types a tree again after a patch changed it. */
    static ObjectNode typed(Call call, ObjectNode tree, Expected expected) {
        CustomVersion custom = call.resource().custom();
        if (custom != null && expected.struct().equals(custom.root())) {
            return CustomDecoder.plain(custom, tree);
        }
        TypedDecoder.Decoded decoded;
        try {
            decoded = TypedDecoder.decode(call.resource().types(), expected.struct(), StrictJson.Document.of(tree));
        } catch (DecodingException e) {
            throw ApiException.badRequest(expected.kind() + " in version "
                    + FieldErrors.quoted(expected.version()) + " cannot be handled as a " + expected.kind() + ": "
                    + e.getMessage());
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
        object.put("kind", expected.kind());
        object.put("apiVersion", expected.type().apiVersion());
        return object;
    }
}
