package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GoText;
import lavaflow.kube.Json;
import lavaflow.kube.JsonPatch;
import lavaflow.kube.KindTable;
import lavaflow.kube.MergePatch;
import lavaflow.kube.StrategicMergePatch;
import lavaflow.kube.StrictJson;
import lavaflow.kube.TreeConversion;
import lavaflow.kube.TypedDecoder;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * A JSON, merge or strategic merge patch: from the body of a request to an object of the expected kind.
 *
 * <p>The body is read when the patch is applied, because a patch of something that does not exist is answered with 404
 * whatever is in it.
 */
final class BodyPatch {
    private static final String MISPLACED = " into Go value of type map[string]interface {}";

    private final Call call;
    private final String media;
    private final byte[] body;
    private final ObjectDecoder.Expected expected;
    private final boolean strict;

    BodyPatch(Call call, String media, byte[] body, ObjectDecoder.Expected expected) {
        this.call = call;
        this.media = media;
        this.body = body;
        this.expected = expected;
        this.strict = call.fieldValidation() != Call.FieldValidation.IGNORE;
    }

    /** The patched object, typed again; not yet defaulted. */
    ObjectNode apply(ObjectNode live) {
        return switch (media) {
            case Patches.JSON_PATCH -> jsonPatch(live);
            case Patches.MERGE_PATCH -> mergePatch(live);
            case Patches.STRATEGIC_PATCH -> strategicPatch(live);
            default -> throw BodyReader.unsupportedMediaType(Patches.MEDIA_TYPES);
        };
    }

    private ObjectNode jsonPatch(ObjectNode live) {
        List<String> problems = new ArrayList<>();
        JsonNode root = parse(strict ? "error decoding patch: " : "", "json patch duplicate field ", problems);
        JsonPatch patch = JsonPatch.parse(root, strict);
        problems.addAll(patch.warnings());
        return decoded(patch.apply(live), problems);
    }

    private ObjectNode mergePatch(ObjectNode live) {
        List<String> problems = new ArrayList<>();
        JsonNode patch;
        if (strict) {
            patch = parse("error decoding patch: ", "duplicate field ", problems);
        } else {
            try {
                patch = parse("", "", problems);
            } catch (ApiException _) {
                throw ApiException.badRequest("Invalid JSON Patch");
            }
        }
        return decoded(MergePatch.apply(live, patch, strict), problems);
    }

    private JsonNode parse(String prefix, String duplicate, List<String> problems) {
        try {
            StrictJson.Document document = StrictJson.parse(body, StrictJson.Repeated.REPLACE);
            document.duplicatePaths().forEach(path -> problems.add(duplicate + FieldErrors.quoted(path)));
            return document.root();
        } catch (DecodingException e) {
            throw ApiException.badRequest(prefix + e.getMessage());
        }
    }

    private ObjectNode strategicPatch(ObjectNode live) {
        List<String> problems = new ArrayList<>();
        JsonNode root = parse("", "duplicate field ", problems);
        if (!(root instanceof ObjectNode) && !root.isNull()) {
            throw ApiException.badRequest("json: cannot unmarshal " + GoText.jsonKind(root) + MISPLACED);
        }
        ObjectNode patch = root instanceof ObjectNode object ? object : Json.object();
        ObjectNode patched = StrategicMergePatch.apply(call.resource().types(), expected.struct(), live, patch);
        String problem = TreeConversion.problem(call.resource().types(), expected.struct(), patched);
        if (problem != null) {
            throw invalid(() -> GoText.value(patch), problem);
        }
        return typed(patched, () -> GoText.value(patch), problems);
    }

    /** What complaints show of a patched object is only made for those who hear one. */
    private ObjectNode decoded(JsonNode patched, List<String> problems) {
        if (!(patched instanceof ObjectNode object)) {
            throw invalid(
                    () -> Json.string(patched),
                    "couldn't get version/kind; json parse error: json: cannot unmarshal " + GoText.jsonKind(patched)
                            + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
                            + " Kind string \"json:\\\"kind,omitempty\\\"\" }");
        }
        // Of custom objects upstream sorts not only the first level.
        Supplier<String> shown = () -> Json.string(custom() == null ? sorted(object) : Untyped.canonical(object));
        if (custom() == null) {
            checkKind(object, shown);
        }
        return typed(object, shown, problems);
    }

    /** Upstream shows a patched document with its members sorted. */
    private static ObjectNode sorted(ObjectNode object) {
        Map<String, JsonNode> members = new TreeMap<>();
        object.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
        ObjectNode sorted = Json.object();
        sorted.setAll(members);
        return sorted;
    }

    private void checkKind(ObjectNode object, Supplier<String> shown) {
        for (String name : List.of("kind", "apiVersion")) {
            JsonNode value = Json.at(object, name);
            if (value != null && !value.isTextual()) {
                throw invalid(
                        shown,
                        "couldn't get version/kind; json parse error: json: cannot unmarshal " + GoText.jsonKind(value)
                                + " into Go struct field ." + name + " of type string");
            }
        }
        String apiVersion = Json.textAt(object, "apiVersion");
        String kind = Json.textAt(object, "kind");
        if (apiVersion.isEmpty()) {
            throw Patches.nameless(call);
        }
        int slash = apiVersion.indexOf('/');
        if (slash != apiVersion.lastIndexOf('/')) {
            throw invalid(shown, "unexpected GroupVersion string: " + apiVersion);
        }
        boolean sameKind = kind.isEmpty() || kind.equals(expected.kind());
        if (sameKind && apiVersion.equals(expected.type().apiVersion())) {
            return;
        }
        String version = apiVersion.substring(slash + 1);
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        String given = kind.isEmpty() ? expected.kind() : kind;
        String struct = KindTable.builtin().struct(group, version, given);
        if (struct == null) {
            throw invalid(
                    shown,
                    "no kind " + FieldErrors.quoted(given) + " is registered for version "
                            + FieldErrors.quoted(apiVersion) + " in scheme \"pkg/runtime/scheme.go:111\"");
        }
        decoded(struct, object, shown);
        int dot = expected.group().indexOf('.');
        String home = expected.group().isEmpty()
                ? "core"
                : dot < 0 ? expected.group() : expected.group().substring(0, dot);
        throw invalid(
                shown,
                "converting (" + version + "." + given + ") to (" + home + "." + expected.kind()
                        + "): unknown conversion");
    }

    private TypedDecoder.Decoded decoded(String struct, ObjectNode tree, Supplier<String> shown) {
        try {
            return TypedDecoder.decode(call.resource().types(), struct, StrictJson.Document.of(tree));
        } catch (DecodingException e) {
            throw invalid(shown, String.valueOf(e.getMessage()));
        }
    }

    /** The version of the custom kind that is patched; null for built-in kinds, a Scale among them. */
    private @Nullable CustomVersion custom() {
        CustomVersion custom = call.resource().custom();
        return custom != null && expected.struct().equals(custom.root()) ? custom : null;
    }

    private ObjectNode customized(
            CustomVersion custom, ObjectNode tree, Supplier<String> shown, List<String> problems) {
        if (Json.textAt(tree, "kind").isEmpty()) {
            throw invalid(shown, "Object 'Kind' is missing in '" + shown.get() + "'");
        }
        if (Json.textAt(tree, "apiVersion").isEmpty()) {
            throw ApiException.internal("Object 'apiVersion' is missing in 'object has no apiVersion field'");
        }
        try {
            CustomDecoder.Decoded decoded = CustomDecoder.tree(custom, tree);
            problems.addAll(decoded.problems());
            return decoded.object();
        } catch (DecodingException e) {
            throw invalid(shown, String.valueOf(e.getMessage()));
        }
    }

    private ObjectNode typed(ObjectNode tree, Supplier<String> shown, List<String> problems) {
        CustomVersion custom = custom();
        if (custom != null) {
            ObjectNode object = customized(custom, tree, shown, problems);
            report(problems, shown);
            return object;
        }
        TypedDecoder.Decoded decoded = decoded(expected.struct(), tree, shown);
        problems.addAll(decoded.problems());
        report(problems, shown);
        ObjectNode object = decoded.object();
        object.put("kind", expected.kind());
        object.put("apiVersion", expected.type().apiVersion());
        return object;
    }

    private void report(List<String> problems, Supplier<String> shown) {
        switch (call.fieldValidation()) {
            case IGNORE -> {}
            case WARN -> problems.forEach(call::warn);
            case STRICT -> {
                if (!problems.isEmpty()) {
                    throw invalid(shown, "strict decoding error: " + String.join(", ", problems));
                }
            }
        }
    }

    /** The patch leaves something that is no object of its kind. */
    private static ApiException invalid(Supplier<String> shown, String why) {
        FieldErrors errors = new FieldErrors();
        errors.invalid(FieldPath.of("patch"), shown.get(), why);
        return ApiException.invalid("", "", "", errors.list());
    }
}
