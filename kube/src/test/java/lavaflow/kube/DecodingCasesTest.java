package lavaflow.kube;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the decoder with upstream's, over bodies and outcomes that {@code tools/types/generate --cases} writes. */
@EnabledIfSystemProperty(named = "lavaflow.decoding.cases", matches = ".+")
class DecodingCasesTest {
    private final BuiltinTypes types = BuiltinTypes.instance();

    @Test
    void everyBodyHasUpstreamsOutcome() throws IOException, DecodingException {
        compare(this::outcome);
    }

    @Test
    void theSameObjectsInProtobufComeOutTheSame() throws IOException, DecodingException {
        compare(this::outcomeInProtobuf);
    }

    private void compare(Function<JsonNode, String> outcome) throws IOException, DecodingException {
        List<String> differences = new ArrayList<>();
        int compared = 0;
        Path cases = Path.of(System.getProperty("lavaflow.decoding.cases"));
        // Not Files.lines: raw parts of an object may hold bytes that are no UTF-8, which a reader replaces.
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(cases), StandardCharsets.UTF_8))) {
            for (String line : (Iterable<String>) lines.lines()::iterator) {
                JsonNode expected = StrictJson.parse(line.getBytes(StandardCharsets.UTF_8), StrictJson.Repeated.REPLACE)
                        .root();
                if (skipped(expected)) {
                    continue;
                }
                compared++;
                String wanted = wanted(expected);
                // The decoder keeps an empty list of field owners, which upstream drops, because it means: forget them.
                String actual = outcome.apply(expected).replace(",\"managedFields\":[]}", "}");
                if (!actual.equals(wanted)) {
                    differences.add("body " + new String(body(expected), StandardCharsets.UTF_8) + "\n  wanted "
                            + wanted + "\n  actual " + actual);
                }
            }
        }
        assertThat(compared).isGreaterThan(1_000);
        if (!differences.isEmpty()) {
            byte[] list = String.join("\n", differences).getBytes(StandardCharsets.UTF_8);
            Files.write(Path.of("target", "decoding-differences.txt"), list);
        }
        assertThat(differences.size())
                .as("differences in %s cases, listed in target/decoding-differences.txt", compared)
                .isZero();
    }

    /**
     * Go decodes a repeated key's values one after the other into the same place, so that errors in an earlier one count
     * and parts of it may survive; our tree holds the last. It prints null for a pointer to the zero time. And it knows
     * some kinds under every apiVersion. None of it matters to anybody.
     */
    private boolean skipped(JsonNode expected) {
        byte[] body = body(expected);
        if (new String(body, StandardCharsets.UTF_8).contains("0001-01-01T00:00:00Z")) {
            return true;
        }
        if (!Json.textAt(expected, "kind").isEmpty() && struct(expected) == null) {
            return true;
        }
        try {
            return !StrictJson.parse(body, StrictJson.Repeated.JOIN)
                    .duplicatePaths()
                    .isEmpty();
        } catch (DecodingException e) {
            return false;
        }
    }

    /** Protobuf says nothing of unknown fields, and of what cannot be decoded there is no protobuf form. */
    private String outcomeInProtobuf(JsonNode expected) {
        if (!expected.has("stored")) {
            return wanted(expected);
        }
        try {
            byte[] stored = Base64.getDecoder().decode(Json.textAt(expected, "stored"));
            String struct = Objects.requireNonNull(struct(expected));
            ObjectNode decoded = ProtobufDecoder.decode(types, struct, ProtobufDecoder.envelope(stored));
            return Json.listAt(expected, "problems").toString() + decoded;
        } catch (DecodingException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private @Nullable String struct(JsonNode expected) {
        String group = Json.textAt(expected, "group");
        return types.kinds().struct(group, Json.textAt(expected, "version"), Json.textAt(expected, "kind"));
    }

    private static byte[] body(JsonNode expected) {
        return Base64.getDecoder().decode(Json.textAt(expected, "body"));
    }

    private static String wanted(JsonNode expected) {
        String error = Json.textAt(expected, "error");
        return error.isEmpty() ? Json.listAt(expected, "problems").toString() + expected.get("object") : error;
    }

    private String outcome(JsonNode expected) {
        String struct = struct(expected);
        StrictJson.Document document;
        try {
            document = StrictJson.parse(body(expected), StrictJson.Repeated.JOIN);
        } catch (DecodingException e) {
            // Upstream finds mistakes of syntax when it looks for the kind.
            return "couldn't get version/kind; json parse error: " + e.getMessage();
        }
        if (struct == null) {
            return "no struct for " + Json.textAt(expected, "kind");
        }
        try {
            TypedDecoder.Decoded decoded = TypedDecoder.decode(types, struct, document);
            ArrayNode problems = Json.array();
            decoded.problems().forEach(problems::add);
            return problems.toString() + decoded.object();
        } catch (DecodingException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
