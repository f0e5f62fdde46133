package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoText;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindTable;
import lavaflow.kube.StrictJson;
import lavaflow.kube.TypedDecoder;
import lavaflow.kube.Types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a patch from outside made of an object, read again. Whoever wrote the patch could have made anything of it, another kind too;
 * that is the server's administrator's fault and not the client's, so every refusal is an internal error, in upstream's words.
 */
final class ForeignObject {
    private final JsonNode made;
    private final GroupVersionKind expected;

    ForeignObject(JsonNode made, GroupVersionKind expected) {
        this.made = made;
        this.expected = expected;
    }

    /** The object, of the kind it had before; one that does not say what it is, is what it was. */
    ObjectNode typed(Form before, boolean strict) {
        ObjectNode object = object();
        GroupVersionKind kind = kind(object);
        boolean same = kind.equals(expected);
        String struct = same ? before.struct() : KindTable.builtin().struct(kind.group(), kind.version(), kind.kind());
        if (struct == null) {
            throw ApiException.internal("no kind " + FieldErrors.quoted(kind.kind()) + " is registered for version "
                    + FieldErrors.quoted(kind.apiVersion()) + " in scheme \"pkg/runtime/scheme.go:111\"");
        }
        TypedDecoder.Decoded decoded = decoded(same ? before.types() : BuiltinTypes.instance(), struct, object);
        if (strict && !decoded.problems().isEmpty()) {
            throw ApiException.internal("strict decoding error: " + String.join(", ", decoded.problems()));
        }
        boolean convertible =
                kind.kind().equals(expected.kind()) && kind.group().equals(expected.group());
        if (!convertible) {
            throw ApiException.internal("failed to convert object: converting (" + kind.version() + "." + kind.kind()
                    + ") to (" + home(expected.group()) + "." + expected.kind() + "): unknown conversion");
        }
        return decoded.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
    }

    /** What an object was before it was patched. */
    record Form(Types types, String struct) {}

    private static TypedDecoder.Decoded decoded(Types types, String struct, ObjectNode object) {
        try {
            return TypedDecoder.decode(types, struct, StrictJson.Document.of(object));
        } catch (DecodingException e) {
            throw ApiException.internal(String.valueOf(e.getMessage()));
        }
    }

    /** The object of a custom kind, in whichever of its versions it says it is. */
    ObjectNode custom(CustomVersion version) {
        ObjectNode object = object();
        String kind = Json.textAt(object, "kind");
        if (kind.isEmpty()) {
            throw ApiException.internal("Object 'Kind' is missing in '" + GoText.json(object) + "'");
        }
        String apiVersion = Json.textAt(object, "apiVersion");
        if (version.kind().version(apiVersion) == null) {
            throw ApiException.internal(
                    "failed to convert object: request to convert CR from an invalid group/version: " + apiVersion);
        }
        if (!kind.equals(expected.kind())) {
            FieldErrors errors = new FieldErrors();
            errors.invalid(FieldPath.of("kind"), kind, "must be " + expected.kind());
            throw ApiException.invalid(expected.group(), kind, Json.textAt(object, "metadata", "name"), errors.list());
        }
        return CustomDecoder.lenient(version, object);
    }

    private ObjectNode object() {
        if (made instanceof ObjectNode object) {
            return object;
        }
        throw ApiException.internal("couldn't get version/kind; json parse error: json: cannot unmarshal "
                + GoText.jsonKind(made) + " into Go value of type struct { APIVersion string"
                + " \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }");
    }

    private GroupVersionKind kind(ObjectNode object) {
        for (String name : List.of("kind", "apiVersion")) {
            JsonNode value = Json.at(object, name);
            if (value != null && !value.isTextual()) {
                throw ApiException.internal("couldn't get version/kind; json parse error: json: cannot unmarshal "
                        + GoText.jsonKind(value) + " into Go struct field ." + name + " of type string");
            }
        }
        String apiVersion = Json.textAt(object, "apiVersion");
        String kind = Json.textAt(object, "kind");
        int slash = apiVersion.indexOf('/');
        return new GroupVersionKind(
                apiVersion.isEmpty() ? expected.group() : slash < 0 ? "" : apiVersion.substring(0, slash),
                apiVersion.isEmpty() ? expected.version() : apiVersion.substring(slash + 1),
                kind.isEmpty() ? expected.kind() : kind);
    }

    /** The Go package of a group's internal types. */
    private static String home(String group) {
        int dot = group.indexOf('.');
        return group.isEmpty() ? "core" : dot < 0 ? group : group.substring(0, dot);
    }
}
