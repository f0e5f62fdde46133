package lavaflow.kube;

import java.util.regex.Pattern;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Any bytes give an object or a refusal; an object that was decoded is written, read and decoded again unchanged.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class DecodingFuzzTest {
    private static final String[] STRUCTS = {
        "io.k8s.api.core.v1.Pod",
        "io.k8s.api.core.v1.Event",
        "io.k8s.api.apps.v1.Deployment",
        "io.k8s.api.authentication.v1.TokenReview",
        "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    };

    @FuzzTest(maxDuration = "2m")
    void json(byte[] input) {
        StrictJson.Document document;
        try {
            document = StrictJson.parse(input, StrictJson.Repeated.JOIN);
        } catch (DecodingException e) {
            requireThatJacksonRefuses(input, e);
            return;
        }
        requireThatItSurvivesWriting(document.root());
        for (String struct : STRUCTS) {
            try {
                requireThatItIsCanonical(
                        struct,
                        TypedDecoder.decode(BuiltinTypes.instance(), struct, document)
                                .object());
            } catch (DecodingException e) {
                requireMessage(e);
            }
        }
    }

    @FuzzTest(maxDuration = "2m")
    void yaml(byte[] input) {
        try {
            requireThatItSurvivesWriting(Yaml.parse(input).root());
        } catch (DecodingException e) {
            requireMessage(e);
        }
    }

    @FuzzTest(maxDuration = "2m")
    void protobuf(byte[] input) {
        ProtobufDecoder.Envelope envelope;
        try {
            envelope = ProtobufDecoder.envelope(input);
        } catch (DecodingException e) {
            requireMessage(e);
            return;
        }
        for (String struct : STRUCTS) {
            try {
                requireThatItIsCanonical(struct, ProtobufDecoder.decode(BuiltinTypes.instance(), struct, envelope));
            } catch (DecodingException e) {
                requireMessage(e);
            }
        }
    }

    @FuzzTest(maxDuration = "2m")
    void bodies(byte[] input) {
        for (BodyDecoder.Format format : BodyDecoder.Format.values()) {
            try {
                GroupVersionKind pod = new GroupVersionKind("", "v1", "Pod");
                requireThatItSurvivesWriting(
                        BodyDecoder.builtin(format, input, pod).object());
            } catch (ApiException e) {
                requireBadRequest(e);
            }
            try {
                GroupVersionKind custom = new GroupVersionKind("example.com", "v1", "Foo");
                if (format != BodyDecoder.Format.PROTOBUF) {
                    requireThatItSurvivesWriting(
                            BodyDecoder.custom(format, input, custom).object());
                }
            } catch (ApiException e) {
                requireBadRequest(e);
            }
        }
    }

    /** Jackson takes letters that only look like hexadecimal digits modulo 256 for such. */
    private static final Pattern FOREIGN_DIGIT =
            Pattern.compile("invalid character '\\P{ASCII}' in \\\\u hexadecimal.*");

    /** Jackson guesses encodings and knows no byte order mark in Go's sense; such inputs prove nothing. */
    private static void requireThatJacksonRefuses(byte[] input, DecodingException refusal) {
        boolean guessed = input.length > 0 && input[0] < 0;
        for (byte b : input) {
            guessed |= b == 0;
        }
        String message = String.valueOf(refusal.getMessage());
        if (guessed
                || message.contains("into Go value of type float64")
                || FOREIGN_DIGIT.matcher(message).matches()) {
            return;
        }
        try {
            if (!Json.parseUntrusted(input).isMissingNode()) {
                throw new AssertionError("refused what Jackson accepts: " + refusal.getMessage(), refusal);
            }
        } catch (JsonProcessingException e) {
            requireMessage(refusal);
        }
    }

    private static void requireThatItSurvivesWriting(JsonNode tree) {
        if (!Json.parse(Json.bytes(tree)).equals(tree)) {
            throw new AssertionError("changed by writing and reading: " + tree);
        }
    }

    private static void requireThatItIsCanonical(String struct, ObjectNode object) throws DecodingException {
        requireThatItSurvivesWriting(object);
        TypedDecoder.Decoded again = TypedDecoder.decode(BuiltinTypes.instance(), struct, object);
        if (!again.problems().isEmpty() || !again.object().toString().equals(object.toString())) {
            throw new AssertionError("not canonical: " + object + " became " + again.object());
        }
    }

    private static void requireMessage(DecodingException e) {
        if (e.getMessage() == null || e.getMessage().isEmpty()) {
            throw new AssertionError("a refusal must say why", e);
        }
    }

    private static void requireBadRequest(ApiException e) {
        if (e.code() != 400) {
            throw new AssertionError("a bad body must not be answered with " + e.code(), e);
        }
    }
}
