package lavaflow.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The four kinds of patch. */
final class Patches {
    static final String JSON_PATCH = "application/json-patch+json";
    static final String MERGE_PATCH = "application/merge-patch+json";
    static final String STRATEGIC_PATCH = "application/strategic-merge-patch+json";
    static final String APPLY_PATCH = "application/apply-patch+yaml";
    static final List<String> MEDIA_TYPES = List.of(JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH);

    /** Lists of custom kinds have no merge keys, so there is nothing strategic about them. */
    private static final List<String> CUSTOM_TYPES = List.of(JSON_PATCH, MERGE_PATCH, APPLY_PATCH);

    private static final String BAD_YAML = "error decoding YAML: ";

    private final Writes writes;
    private final FieldOwnership ownership;

    Patches(Writes writes, FieldOwnership ownership) {
        this.writes = writes;
        this.ownership = ownership;
    }

    static boolean isApply(Exchange exchange) {
        return Negotiation.mediaType(exchange.header("Content-Type")).equals(APPLY_PATCH);
    }

    Writes.Written patch(Call call, Exchange exchange) {
        String media = Negotiation.mediaType(exchange.header("Content-Type"));
        boolean custom = call.resource().custom() != null;
        if (custom && !CUSTOM_TYPES.contains(media)) {
            throw BodyReader.unsupportedMediaType(CUSTOM_TYPES);
        }
        if (!MEDIA_TYPES.contains(media)) {
            throw ApiException.of(415, "UnsupportedMediaType", "415: Unsupported Media Type")
                    .withEmptyDetails();
        }
        byte[] body = BodyReader.bytes(exchange);
        note(exchange, body);
        if (media.equals(APPLY_PATCH)) {
            return apply(call, body);
        }
        return patch(call, media, body);
    }

    /** Merges a body of one of the media types that are not applied. */
    Writes.Written patch(Call call, String media, byte[] body) {
        ObjectDecoder.Expected expected =
                ObjectDecoder.Expected.of(call.resource().info());
        BodyPatch patch = new BodyPatch(call, media, body, expected);
        return writes.update(call, false, false, live -> {
            if (live == null) {
                throw call.resource().notFound(call.name());
            }
            return checked(call, patch.apply(live));
        });
    }

    /** Writes a patch down; one that cannot be read is refused anyway. */
    private static void note(Exchange exchange, byte[] body) {
        if (exchange.audit().wantsRequest()) {
            try {
                exchange.audit().requestPatch(Yaml.parse(body).root());
            } catch (DecodingException e) {
                exchange.audit().requestPatch(Json.text(new String(body, StandardCharsets.UTF_8)));
            }
        }
    }

    private static void repeatedKeys(Call call, List<String> problems) {
        if (problems.isEmpty()) {
            return;
        }
        switch (call.fieldValidation()) {
            case IGNORE -> {}
            case WARN -> problems.forEach(call::warn);
            case STRICT ->
                throw ApiException.badRequest("error strict decoding YAML: error converting YAML to JSON:"
                        + " yaml: unmarshal errors:\n  " + String.join("\n  ", problems));
        }
    }

    /** A patched object is input like any other: defaulted, and still the same object. */
    private static ObjectNode checked(Call call, ObjectNode object) {
        call.resource().rules().applyDefaults(object);
        ResourceHandler.checkNamespace(call, object);
        if (Metadata.name(object).isEmpty()) {
            throw nameless(call);
        }
        ResourceHandler.checkName(call, object);
        return ResourceHandler.inPlace(call, object);
    }

    static ApiException nameless(Call call) {
        return ApiException.badRequest(
                "the name of the object (" + call.name() + " based on URL) was undeterminable: name must be provided");
    }

    /** An applied configuration. */
    static ObjectNode configuration(Call call, byte[] body) {
        Yaml.Parsed document;
        try {
            document = Yaml.parse(body);
        } catch (DecodingException e) {
            throw ApiException.badRequest(BAD_YAML + "error converting YAML to JSON: " + e.getMessage());
        }
        if (!(document.root() instanceof ObjectNode configuration)) {
            throw ApiException.badRequest(
                    BAD_YAML + "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
                            + GoText.jsonKind(document.root()) + " into Go value of type map[string]interface {}");
        }
        repeatedKeys(call, document.repeatedKeys());
        return configuration;
    }

    private Writes.Written apply(Call call, byte[] body) {
        return apply(call, configuration(call, body));
    }

    /** Applies a configuration that has been read. */
    Writes.Written apply(Call call, ObjectNode configuration) {
        boolean mayCreate = call.subresource().isEmpty();
        return writes.update(call, mayCreate, true, live -> {
            ObjectNode applied = ownership.apply(call, live, configuration.deepCopy());
            ObjectNode merged = ObjectDecoder.typed(
                    call, applied, ObjectDecoder.Expected.of(call.resource().info()));
            call.resource().rules().applyDefaults(merged);
            ResourceHandler.checkNamespace(call, merged);
            if (Metadata.name(merged).isEmpty()) {
                throw nameless(call);
            }
            ResourceHandler.checkName(call, merged);
            return ResourceHandler.inPlace(call, merged);
        });
    }
}
