package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of a create or update into the object an endpoint expects, or into upstream's answer why not.
 *
 * <p>The kind in the body decides how it is decoded, the endpoint fills in what the body leaves out, and only then are
 * the two compared: that is why the message about a wrong kind may come after one about a wrong field.
 */
public final class BodyDecoder {
    /** The media types of bodies. */
    public enum Format {
        JSON,
        YAML,
        PROTOBUF
    }

    /**
     * A decoded body.
     *
     * @param object canonical, with kind and apiVersion
     * @param problems unknown and repeated fields
     * @param repeatedYamlKeys keys that YAML repeats, which are told by line
     */
    public record Body(ObjectNode object, List<String> problems, List<String> repeatedYamlKeys) {
        /** What field validation warns of, in order. */
        public List<String> warnings() {
            List<String> all = new ArrayList<>(repeatedYamlKeys);
            all.addAll(problems);
            return all;
        }

        /** The answer of strict field validation, or null where there is nothing to complain about. */
        public @Nullable ApiException strictRefusal(GroupVersionKind expected) {
            List<String> all = new ArrayList<>();
            if (!repeatedYamlKeys.isEmpty()) {
                all.add("yaml: unmarshal errors:\n  " + String.join("\n  ", repeatedYamlKeys));
            }
            all.addAll(problems);
            return all.isEmpty()
                    ? null
                    : cannotHandle(
                            GroupVersionKind.of(object), expected, "strict decoding error: " + String.join(", ", all));
        }
    }

    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    private static final int SUMMARY_LENGTH = 30;
    /** Moved to v1 unchanged; upstream takes evictions in both versions. */
    private static final GroupVersionKind OLD_EVICTION = new GroupVersionKind("policy", "v1beta1", "Eviction");

    private static final Pattern UNSTABLE = Pattern.compile("v\\d+(alpha|beta)\\d+");

    private final GroupVersionKind expected;
    private final byte[] bytes;
    private List<String> repeatedYamlKeys = List.of();

    private BodyDecoder(GroupVersionKind expected, byte[] bytes) {
        this.expected = expected;
        this.bytes = bytes;
    }

    /** Decodes the body of a request for a built-in kind. */
    public static Body builtin(Format format, byte[] bytes, GroupVersionKind expected) {
        BodyDecoder decoder = new BodyDecoder(expected, bytes);
        return format == Format.PROTOBUF ? decoder.protobuf() : decoder.typed(format);
    }

    /**
     * Decodes the body of a request for a custom kind: only its metadata is checked here, its schema checks the rest. The
     * kind is not compared with the expected one, because upstream does so in validation.
     */
    public static Body custom(Format format, byte[] bytes, GroupVersionKind expected) {
        return new BodyDecoder(expected, bytes).untyped(format);
    }

    /**
     * Decodes the options of a request, which may come under the version of any group, or of none.
     *
     * @param kind {@code DeleteOptions}
     */
    public static ObjectNode options(Format format, byte[] bytes, String kind) {
        String struct = "io.k8s.apimachinery.pkg.apis.meta.v1." + kind;
        try {
            if (format == Format.PROTOBUF) {
                return ProtobufDecoder.decode(BuiltinTypes.instance(), struct, ProtobufDecoder.envelope(bytes));
            }
            StrictJson.Document document = format == Format.YAML
                    ? StrictJson.Document.of(Yaml.parse(bytes).root())
                    : StrictJson.parse(bytes, StrictJson.Repeated.JOIN);
            String given = Json.textAt(document.root(), "kind");
            if (!given.isEmpty() && !given.equals(kind)) {
                throw ApiException.badRequest("no kind " + GoQuote.quote(given) + " is registered for version "
                        + GoQuote.quote(Json.textAt(document.root(), "apiVersion"))
                        + " in scheme \"pkg/runtime/scheme.go:111\"");
            }
            return TypedDecoder.decode(BuiltinTypes.instance(), struct, document)
                    .object();
        } catch (DecodingException e) {
            String message = String.valueOf(e.getMessage());
            boolean syntax = format == Format.JSON && !message.startsWith("json: ");
            throw ApiException.badRequest(syntax ? "couldn't get version/kind; json parse error: " + message : message);
        }
    }

    private Body typed(Format format) {
        StrictJson.Document document = document(format, StrictJson.Repeated.JOIN);
        GroupVersionKind kind = defaulted(kindIn(document.root()));
        TypedDecoder.Decoded decoded;
        try {
            decoded = TypedDecoder.decode(BuiltinTypes.instance(), structOf(kind), document);
        } catch (DecodingException e) {
            throw cannotHandle(kind, expected, String.valueOf(e.getMessage()));
        }
        requireExpected(kind);
        decoded.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        return new Body(inOrder(decoded.object()), decoded.problems(), repeatedYamlKeys);
    }

    /** Kind and apiVersion come first, also where the body left them out. */
    private static ObjectNode inOrder(ObjectNode object) {
        if (object.fieldNames().next().equals("kind")) {
            return object;
        }
        ObjectNode ordered = Json.object();
        ordered.set("kind", object.get("kind"));
        ordered.set("apiVersion", object.get("apiVersion"));
        return ordered.setAll(object);
    }

    private Body protobuf() {
        ProtobufDecoder.Envelope envelope;
        try {
            envelope = ProtobufDecoder.envelope(bytes);
        } catch (DecodingException e) {
            throw unrecognized(String.valueOf(e.getMessage()));
        }
        GroupVersionKind kind = defaulted(parsed(envelope.apiVersion(), envelope.kind()));
        ObjectNode object;
        try {
            object = ProtobufDecoder.decode(BuiltinTypes.instance(), structOf(kind), envelope);
        } catch (DecodingException e) {
            throw cannotHandle(kind, expected, String.valueOf(e.getMessage()));
        }
        requireExpected(kind);
        object.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        return new Body(inOrder(object), List.of(), List.of());
    }

    private Body untyped(Format format) {
        StrictJson.Document document = document(format, StrictJson.Repeated.REPLACE);
        GroupVersionKind kind = kindIn(document.root());
        if (kind.kind().isEmpty()) {
            throw unrecognized("Object 'Kind' is missing in '" + new String(bytes, StandardCharsets.UTF_8) + "'");
        }
        ObjectNode object = Untyped.canonical((ObjectNode) document.root());
        List<String> problems = new ArrayList<>();
        document.duplicatePaths().forEach(path -> problems.add("duplicate field " + GoQuote.quote(path)));
        JsonNode metadata = object.get("metadata");
        if (metadata != null) {
            object.set("metadata", metadata(kind, metadata, problems));
        }
        if (!kind.groupVersion().equals(expected.groupVersion())) {
            throw otherVersion(kind);
        }
        return new Body(object, problems, repeatedYamlKeys);
    }

    private ObjectNode metadata(GroupVersionKind kind, JsonNode metadata, List<String> problems) {
        try {
            TypedDecoder.Decoded decoded = TypedDecoder.decode(BuiltinTypes.instance(), META, metadata);
            decoded.problems().forEach(problem -> problems.add(problem.replaceFirst("\"", "\"metadata.")));
            return Untyped.canonical(decoded.object());
        } catch (DecodingException e) {
            throw cannotHandle(kind, expected, String.valueOf(e.getMessage()));
        }
    }

    private StrictJson.Document document(Format format, StrictJson.Repeated repeated) {
        if (format == Format.YAML) {
            try {
                Yaml.Parsed parsed = Yaml.parse(bytes);
                repeatedYamlKeys = parsed.repeatedKeys();
                return StrictJson.Document.of(parsed.root());
            } catch (DecodingException e) {
                throw unrecognized(String.valueOf(e.getMessage()));
            }
        }
        try {
            return StrictJson.parse(bytes, repeated);
        } catch (DecodingException e) {
            throw noKind(String.valueOf(e.getMessage()));
        }
    }

    private GroupVersionKind kindIn(JsonNode root) {
        if (!root.isObject() && !root.isNull()) {
            throw noKind("json: cannot unmarshal " + GoText.jsonKind(root)
                    + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
                    + " Kind string \"json:\\\"kind,omitempty\\\"\" }");
        }
        return parsed(text(root, "apiVersion"), text(root, "kind"));
    }

    private String text(JsonNode root, String field) {
        JsonNode value = root.isNull() || !root.has(field) ? NullNode.getInstance() : root.get(field);
        if (!value.isTextual() && !value.isNull()) {
            throw noKind("json: cannot unmarshal " + GoText.jsonKind(value) + " into Go struct field ." + field
                    + " of type string");
        }
        return value.isNull() ? "" : value.textValue();
    }

    private GroupVersionKind parsed(String apiVersion, String kind) {
        try {
            return GroupVersion.parse(apiVersion).kind(kind);
        } catch (MalformedException e) {
            throw unrecognized(String.valueOf(e.getMessage()));
        }
    }

    private GroupVersionKind defaulted(GroupVersionKind found) {
        if (found.equals(OLD_EVICTION) && expected.kind().equals(found.kind())) {
            return expected;
        }
        boolean versioned = !found.version().isEmpty() || !found.group().isEmpty();
        return new GroupVersionKind(
                versioned ? found.group() : expected.group(),
                versioned ? found.version() : expected.version(),
                found.kind().isEmpty() ? expected.kind() : found.kind());
    }

    private String structOf(GroupVersionKind kind) {
        String struct = KindTable.builtin().struct(kind.group(), kind.version(), kind.kind());
        if (struct != null) {
            return struct;
        }
        boolean older = kind.kind().equals(expected.kind()) && kind.group().equals(expected.group());
        if (older && UNSTABLE.matcher(kind.version()).matches()) {
            throw otherVersion(kind);
        }
        throw cannotHandle(
                kind,
                expected,
                "no kind " + GoQuote.quote(kind.kind()) + " is registered for version "
                        + GoQuote.quote(kind.apiVersion()) + " in scheme \"pkg/runtime/scheme.go:111\"");
    }

    private void requireExpected(GroupVersionKind kind) {
        if (!kind.kind().equals(expected.kind())) {
            throw cannotHandle(
                    kind,
                    expected,
                    "converting (" + kind.version() + "." + kind.kind() + ") to (" + internalName(expected.group())
                            + "." + expected.kind() + "): unknown conversion");
        }
        if (!kind.equals(expected)) {
            throw otherVersion(kind);
        }
    }

    private static String internalName(String group) {
        int dot = group.indexOf('.');
        return group.isEmpty() ? "core" : dot < 0 ? group : group.substring(0, dot);
    }

    private ApiException otherVersion(GroupVersionKind kind) {
        return ApiException.badRequest("the API version in the data (" + kind.apiVersion()
                + ") does not match the expected API version (" + expected.apiVersion() + ")");
    }

    private static ApiException cannotHandle(GroupVersionKind kind, GroupVersionKind expected, String why) {
        return ApiException.badRequest(kind.kind() + " in version " + GoQuote.quote(kind.version())
                + " cannot be handled as a " + expected.kind() + ": " + why);
    }

    private ApiException noKind(String why) {
        return unrecognized("couldn't get version/kind; json parse error: " + why);
    }

    private ApiException unrecognized(String why) {
        return ApiException.badRequest("the object provided is unrecognized (must be of type " + expected.kind() + "): "
                + why + " (" + summary() + ")");
    }

    /** The start of the body: as text if it looks like JSON, else in hexadecimal. */
    private String summary() {
        if (bytes.length == 0) {
            return "<empty>";
        }
        byte[] start = Arrays.copyOf(bytes, Math.min(bytes.length, SUMMARY_LENGTH));
        String text = bytes[0] == '{'
                ? new String(start, StandardCharsets.UTF_8)
                : HexFormat.of().formatHex(start);
        return bytes.length > SUMMARY_LENGTH ? text + " ..." : text;
    }
}
