package lavaflow.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.Untyped;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Every answer of the real server to the objects in {@code src/test/record} is also ours. */
class RecordedObjectsTest {
    private static final Pattern LONG_TEXT = Pattern.compile("@(\\d+)");

    @TestFactory
    Stream<DynamicTest> values() {
        return replay("values.jsonl");
    }

    @TestFactory
    Stream<DynamicTest> structure() {
        return replay("structure.jsonl");
    }

    @TestFactory
    Stream<DynamicTest> rules() {
        return replay("rules.jsonl");
    }

    private static Stream<DynamicTest> replay(String file) {
        List<DynamicTest> tests = new ArrayList<>();
        JsonNode group = Json.object();
        for (JsonNode line : lines(file)) {
            if (line.has("group")) {
                group = line;
            } else {
                JsonNode owner = group;
                tests.add(DynamicTest.dynamicTest(line.get("name").asText(), () -> replay(owner, line)));
            }
        }
        return tests.stream();
    }

    static List<JsonNode> lines(String file) {
        try (InputStream in = Objects.requireNonNull(RecordedObjectsTest.class.getResourceAsStream(file))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().map(Json::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode expanded(JsonNode object) {
        String text = LONG_TEXT
                .matcher(Json.string(object))
                .replaceAll(match -> "x".repeat(Integer.parseInt(match.group(1))));
        ObjectNode whole = (ObjectNode) Json.parse(text);
        whole.put("apiVersion", "record.example.com/v1").put("kind", "Rec");
        Json.ensureObject(whole, "metadata").put("name", "x");
        return whole;
    }

    private static void replay(JsonNode group, JsonNode line) {
        StructuralSchema schema = StructuralSchema.parse(expanded(group.get("schema")));
        SchemaValidator validator = new SchemaValidator(schema, ScalePaths.of(group.get("version")));
        ObjectNode object = expanded(line.get("object"));
        List<String> unknown;
        try {
            unknown = CustomObjects.decode(object, schema);
        } catch (DecodingException e) {
            assertThat("Rec in version \"v1\" cannot be handled as a Rec: " + e.getMessage())
                    .isEqualTo(Json.textAt(line, "message"));
            return;
        }
        if (Json.flagAt(line, "strict") && !unknown.isEmpty()) {
            assertThat("Rec in version \"v1\" cannot be handled as a Rec: strict decoding error: "
                            + String.join(", ", unknown))
                    .isEqualTo(Json.textAt(line, "message"));
            return;
        }
        FieldErrors errors = new FieldErrors();
        boolean status = Json.objectAt(group, "version", "subresources", "status") != null;
        ObjectNode old = null;
        if (line.has("old")) {
            old = expanded(line.get("old"));
            CustomObjects.read(old, schema);
            update(validator, object, old, status, Json.textAt(line, "subresource"), errors);
        } else {
            if (status) {
                object.remove("status");
            }
            validator.validateCreate(object, errors);
        }
        check(line, object, errors, unknown, errors.tolerated());
    }

    private static void update(
            SchemaValidator validator,
            ObjectNode object,
            ObjectNode old,
            boolean status,
            String subresource,
            FieldErrors errors) {
        if (subresource.equals("status")) {
            JsonNode changed = object.get("status");
            object.removeAll();
            object.setAll(old.deepCopy());
            object.remove("status");
            if (changed != null) {
                object.set("status", changed);
            }
            validator.validateStatusUpdate(object, old, errors);
        } else {
            if (status && old.has("status")) {
                object.set("status", old.get("status"));
            } else if (status) {
                object.remove("status");
            }
            validator.validateUpdate(object, old, errors);
        }
    }

    private static void check(
            JsonNode line, ObjectNode object, FieldErrors errors, List<String> unknown, List<String> tolerated) {
        List<String> found = errors.list().stream()
                .map(error -> error.reason().wireName() + " " + error.field() + " " + error.detail())
                .toList();
        List<String> expected = new ArrayList<>();
        for (JsonNode error : Json.listAt(line, "errors")) {
            expected.add(error.get(0).asText() + " " + error.get(1).asText() + " "
                    + error.get(2).asText());
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        if (line.get("result") instanceof ObjectNode result) {
            ObjectNode own = Untyped.canonical(object);
            own.remove(List.of("apiVersion", "kind"));
            ((ObjectNode) own.get("metadata")).remove("name");
            if (own.get("metadata").isEmpty()) {
                own.remove("metadata");
            }
            assertThat(own).isEqualTo(Untyped.canonical(result));
            List<String> warnings = new ArrayList<>();
            Json.listAt(line, "warnings").forEach(warning -> warnings.add(warning.asText()));
            List<String> heard = new ArrayList<>(unknown);
            heard.addAll(tolerated);
            assertThat(heard).isEqualTo(warnings);
        }
    }
}
