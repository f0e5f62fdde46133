package lavaflow.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** What the real server says of schemas in definitions is also what we say. */
class RecordedDefinitionsTest {
    private static final String PROPS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

    @TestFactory
    Stream<DynamicTest> schemas() {
        return RecordedObjectsTest.lines("definitions.jsonl").stream()
                .map(line -> DynamicTest.dynamicTest(Json.textAt(line, "group"), () -> replay(line)));
    }

    private static void replay(JsonNode line) throws DecodingException {
        ObjectNode schema = TypedDecoder.decode(BuiltinTypes.instance(), PROPS, line.get("schema"))
                .object();
        FieldErrors errors = new FieldErrors();
        boolean status = Json.objectAt(line, "version", "subresources", "status") != null;
        StructuralRules.check(schema, status, false, FieldPath.of("spec", "validation"), errors);
        List<String> found = errors.list().stream()
                .map(error -> error.reason().wireName() + " " + error.field() + " " + error.detail())
                .toList();
        List<String> expected = new ArrayList<>();
        for (JsonNode error : Json.listAt(line, "errors")) {
            expected.add(error.get(0).asText() + " " + error.get(1).asText() + " "
                    + error.get(2).asText());
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }
}
