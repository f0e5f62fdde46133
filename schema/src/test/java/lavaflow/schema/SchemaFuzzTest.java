package lavaflow.schema;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** No schema and no object, however odd, makes anything throw what it should not. An input is a JSON object a line. */
class SchemaFuzzTest {
    /** The object in one line of an input. */
    private static @Nullable ObjectNode parsed(byte[] input, int number) {
        String[] lines = new String(input, StandardCharsets.UTF_8).split("\n", 3);
        String text = number < lines.length ? lines[number] : "";
        try {
            JsonNode tree = Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8));
            return tree instanceof ObjectNode object ? object : null;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    @FuzzTest
    void schemasAndObjects(byte[] input) throws DecodingException {
        ObjectNode props = parsed(input, 0);
        ObjectNode object = parsed(input, 1);
        if (props == null) {
            return;
        }
        FieldErrors errors = new FieldErrors();
        StructuralRules.check(props, true, false, FieldPath.of("spec", "validation"), errors);
        SchemaOpenApi.v2(props, new GroupVersionKind("a.b", "v1", "C"));
        SchemaOpenApi.v3(props, new GroupVersionKind("a.b", "v1", "C"));
        if (object == null || !errors.isEmpty()) {
            return;
        }
        judge(StructuralSchema.parse(props), object);
    }

    private static void judge(StructuralSchema schema, ObjectNode object) {
        ObjectNode old = object.deepCopy();
        try {
            CustomObjects.decode(object, schema);
        } catch (DecodingException e) {
            return;
        }
        ObjectNode again = object.deepCopy();
        CustomObjects.read(again, schema);
        assertThat(again).as("pruning and defaults are idempotent").isEqualTo(object);
        SchemaValidator validator = new SchemaValidator(schema, null);
        validator.validateCreate(object, new FieldErrors());
        validator.validateUpdate(object, old, new FieldErrors());
        validator.validateStatusUpdate(object, old, new FieldErrors());
        new SchemaTypes(schema, "root").struct("root");
    }

    @FuzzTest
    void paths(byte[] input) {
        String path = new String(input, StandardCharsets.UTF_8).split("\n", 2)[0];
        ObjectNode object = parsed(input, 1);
        try {
            JsonPath parsed = JsonPath.parse(path);
            parsed.find(object == null ? Json.object() : object);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }
}
