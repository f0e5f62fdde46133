package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.BodyDecoder;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.TypedDecoder;
import lavaflow.kube.Untyped;
import lavaflow.schema.CustomObjects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** From what a client sent to an object of a custom kind: metadata typed, the rest pruned by its schema. */
final class CustomDecoder {
    private static final String METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

    /** An object and what was wrong with it in passing: unknown fields, repeated ones. */
    record Decoded(ObjectNode object, List<String> problems) {}

    private CustomDecoder() {}

    /** Reads a body, and fills in defaults. */
    static ObjectNode body(Call call, CustomVersion version, BodyDecoder.Format format, byte[] bytes) {
        BodyDecoder.Body body = BodyDecoder.custom(format, bytes, version.type());
        List<String> problems = new ArrayList<>(body.problems());
        try {
            problems.addAll(CustomObjects.decode(body.object(), version.schema()));
        } catch (DecodingException e) {
            throw cannotHandle(version, body.object(), String.valueOf(e.getMessage()));
        }
        BodyDecoder.Body all = new BodyDecoder.Body(body.object(), problems, body.repeatedYamlKeys());
        switch (call.fieldValidation()) {
            case IGNORE -> {}
            case WARN -> all.warnings().forEach(call::warn);
            case STRICT -> {
                ApiException refusal = all.strictRefusal(version.type());
                if (refusal != null) {
                    throw refusal;
                }
            }
        }
        return body.object();
    }

    private static ApiException cannotHandle(CustomVersion version, ObjectNode object, String why) {
        return ApiException.badRequest(Json.textAt(object, "kind") + " in version "
                + FieldErrors.quoted(version.description().name()) + " cannot be handled as a "
                + version.type().kind() + ": " + why);
    }

    /** Reads a tree that a patch or an apply has made. */
    static Decoded tree(CustomVersion version, ObjectNode tree) throws DecodingException {
        ObjectNode object = Untyped.canonical(tree);
        List<String> problems = new ArrayList<>();
        JsonNode metadata = object.get("metadata");
        if (metadata != null) {
            TypedDecoder.Decoded decoded = TypedDecoder.decode(BuiltinTypes.instance(), METADATA, metadata);
            decoded.problems().forEach(problem -> problems.add(problem.replaceFirst("\"", "\"metadata.")));
            object.set("metadata", decoded.object());
        }
        problems.addAll(CustomObjects.decode(object, version.schema()));
        return new Decoded(object, problems);
    }

    /** As {@link #tree}, where nobody asked to be told of unknown fields. */
    static ObjectNode plain(CustomVersion version, ObjectNode tree) {
        try {
            return tree(version, tree).object();
        } catch (DecodingException e) {
            throw cannotHandle(version, tree, String.valueOf(e.getMessage()));
        }
    }

    /** As {@link #plain}, but for what of the metadata does not fit: upstream does not see it, and so it gets lost. */
    static ObjectNode lenient(CustomVersion version, ObjectNode tree) {
        ObjectNode object = tree.deepCopy();
        if (object.get("metadata") instanceof ObjectNode metadata) {
            List<String> misfits = new ArrayList<>();
            metadata.properties().forEach(member -> {
                ObjectNode alone = Json.object();
                alone.set(member.getKey(), member.getValue());
                try {
                    TypedDecoder.decode(BuiltinTypes.instance(), METADATA, alone);
                } catch (DecodingException e) {
                    misfits.add(member.getKey());
                }
            });
            metadata.remove(misfits);
        }
        return plain(version, object);
    }
}
