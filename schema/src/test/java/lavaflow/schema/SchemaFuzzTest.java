package lavaflow.schema;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** No schema and no object, however odd, makes anything throw what it should not. */
class SchemaFuzzTest {
    private static @Nullable ObjectNode parsed(String text) {
        try {
            JsonNode tree = Json.parseUntrusted(text.getBytes(StandardCharsets.UTF_8));
            return tree instanceof ObjectNode object ? object : null;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    @FuzzTest
    void schemasAndObjects(FuzzedDataProvider data) throws DecodingException {
        int split = data.consumeInt(0, 4096);
        ObjectNode props = parsed(data.consumeString(split));
        ObjectNode object = parsed(data.consumeRemainingAsString());
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
    void paths(FuzzedDataProvider data) {
        String path = data.consumeString(200);
        ObjectNode object = parsed(data.consumeRemainingAsString());
        try {
            JsonPath parsed = JsonPath.parse(path);
            parsed.find(object == null ? Json.object() : object);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }
}
