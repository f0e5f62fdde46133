package lavaflow.apiserver;

import java.util.List;
import java.util.function.UnaryOperator;

import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.JsonPatch;
import lavaflow.kube.MergePatch;
import lavaflow.kube.StrategicMergePatch;
import lavaflow.kube.StrictJson;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The four kinds of patch. */
final class Patches {
    static final String JSON_PATCH = "application/json-patch+json";
    static final String MERGE_PATCH = "application/merge-patch+json";
    static final String STRATEGIC_PATCH = "application/strategic-merge-patch+json";
    static final String APPLY_PATCH = "application/apply-patch+yaml";
    private static final List<String> MEDIA_TYPES = List.of(JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH);

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
        if (!MEDIA_TYPES.contains(media)) {
            throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
        }
        byte[] body = BodyReader.bytes(exchange);
        if (media.equals(APPLY_PATCH)) {
            return apply(call, body);
        }
        UnaryOperator<ObjectNode> change =
                change(call, media, body, call.resource().info().struct());
        return writes.update(call, false, false, live -> {
            if (live == null) {
                throw call.resource().notFound(call.name());
            }
            return retyped(call, live, change.apply(live));
        });
    }

    /** The change a patch makes to a tree of the struct. */
    static UnaryOperator<ObjectNode> change(Call call, String media, byte[] body, String struct) {
        boolean strict = call.fieldValidation() != Call.FieldValidation.IGNORE;
        JsonNode patch = parse(call, body);
        return switch (media) {
            case JSON_PATCH -> {
                JsonPatch parsed = JsonPatch.parse(patch, strict);
                problems(call, parsed.warnings());
                yield live -> object(parsed.apply(live));
            }
            case MERGE_PATCH -> live -> object(MergePatch.apply(live, patch, strict));
            case STRATEGIC_PATCH -> {
                if (!(patch instanceof ObjectNode fields)) {
                    throw ApiException.badRequest("error decoding patch: json: cannot unmarshal "
                            + (patch.isArray() ? "array" : "value") + " into Go value of type map[string]interface {}");
                }
                yield live -> StrategicMergePatch.apply(call.resource().types(), struct, live, fields);
            }
            default -> throw BodyReader.unsupportedMediaType(MEDIA_TYPES);
        };
    }

    private static JsonNode parse(Call call, byte[] body) {
        try {
            StrictJson.Document document = StrictJson.parse(body, StrictJson.Repeated.REPLACE);
            problems(
                    call,
                    document.duplicatePaths().stream()
                            .map(path -> "duplicate field " + FieldErrors.quoted(path))
                            .toList());
            return document.root();
        } catch (DecodingException e) {
            throw ApiException.badRequest("error decoding patch: " + e.getMessage());
        }
    }

    private static void problems(Call call, List<String> problems) {
        if (problems.isEmpty()) {
            return;
        }
        switch (call.fieldValidation()) {
            case IGNORE -> {}
            case WARN -> problems.forEach(call::warn);
            case STRICT -> throw ApiException.badRequest("strict decoding error: " + String.join(", ", problems));
        }
    }

    private static ObjectNode object(JsonNode patched) {
        if (patched instanceof ObjectNode object) {
            return object;
        }
        throw ApiException.badRequest("the patch leaves something that is not an object");
    }

    /** A patched tree is input like any other: typed again, defaulted, and still the same object. */
    private static ObjectNode retyped(Call call, ObjectNode live, ObjectNode patched) {
        ObjectNode object = ObjectDecoder.typed(
                call, patched, ObjectDecoder.Expected.of(call.resource().info()));
        call.resource().rules().applyDefaults(object);
        if (!Metadata.name(object).equals(Metadata.name(live))) {
            throw ApiException.badRequest("the name of the object (" + Metadata.name(object)
                    + ") does not match the name on the URL (" + call.name() + ")");
        }
        ResourceHandler.checkNamespace(call, object);
        return object;
    }

    /** An applied configuration. */
    static ObjectNode configuration(Call call, byte[] body) {
        Yaml.Parsed document;
        try {
            document = Yaml.parse(body);
        } catch (DecodingException e) {
            throw ApiException.badRequest("error decoding YAML: " + e.getMessage());
        }
        if (!(document.root() instanceof ObjectNode configuration)) {
            throw ApiException.badRequest("error decoding YAML: the applied configuration is not an object");
        }
        problems(call, document.repeatedKeys());
        return configuration;
    }

    private Writes.Written apply(Call call, byte[] body) {
        ObjectNode configuration = configuration(call, body);
        boolean mayCreate = call.subresource().isEmpty();
        return writes.update(call, mayCreate, true, live -> {
            ObjectNode applied = ownership.apply(call, live, configuration.deepCopy());
            ObjectNode merged = ObjectDecoder.typed(
                    call, applied, ObjectDecoder.Expected.of(call.resource().info()));
            call.resource().rules().applyDefaults(merged);
            ResourceHandler.checkNamespace(call, merged);
            if (Json.textAt(merged, "metadata", "name").isEmpty()) {
                Metadata.of(merged).put("name", call.name());
            }
            ResourceHandler.checkName(call, merged);
            return ResourceHandler.inPlace(call, merged);
        });
    }
}
