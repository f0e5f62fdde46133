package lavaflow.schema;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the real server publishes of a schema that uses every word, without its descriptions of metadata. */
class SchemaOpenApiTest {
    private static final GroupVersionKind KIND = new GroupVersionKind("record.example.com", "v1", "Oapi");
    private static final JsonNode VERSION = Json.parse("{\"selectableFields\":[{\"jsonPath\":\".spec.s\"}]}");

    private JsonNode recorded = Json.object();

    @BeforeEach
    void read() throws IOException {
        try (InputStream in = Objects.requireNonNull(SchemaOpenApiTest.class.getResourceAsStream("openapi.json"))) {
            recorded = Json.parse(in.readAllBytes());
        }
    }

    private static ObjectNode selectable(ObjectNode schema) {
        SchemaOpenApi.addSelectableFields(schema, VERSION);
        for (String field : new String[] {"apiVersion", "kind", "metadata"}) {
            for (JsonNode properties : schema.findParents(field)) {
                if (properties.get(field) instanceof ObjectNode described) {
                    described.remove("description");
                }
            }
        }
        return schema;
    }

    @Test
    void theNewerFormKeepsEverything() {
        assertThat(selectable(SchemaOpenApi.v3(recorded.get("schema"), KIND)))
                .isEqualTo(recorded.at("/v3/com.example.record.v1.Oapi"));
    }

    @Test
    void theOlderFormDropsWhatItCannotSay() {
        assertThat(selectable(SchemaOpenApi.v2(recorded.get("schema"), KIND)))
                .isEqualTo(recorded.at("/v2/com.example.record.v1.Oapi"));
    }

    @Test
    void listsHaveSchemasToo() {
        String item = SchemaOpenApi.name(KIND);
        assertThat(selectable(SchemaOpenApi.list(KIND, "OapiList", item, "#/components/schemas/")))
                .isEqualTo(recorded.at("/v3/com.example.record.v1.OapiList"));
        assertThat(selectable(SchemaOpenApi.list(KIND, "OapiList", item, "#/definitions/")))
                .isEqualTo(recorded.at("/v2/com.example.record.v1.OapiList"));
    }

    @Test
    void theOlderFormSaysNothingOfARootThatKeepsEverything() {
        JsonNode open = Json.parse("{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,"
                + "\"properties\":{\"spec\":{\"type\":\"object\"}}}");
        assertThat(SchemaOpenApi.v2(open, KIND).has("properties")).isFalse();
        assertThat(SchemaOpenApi.v3(open, KIND).get("properties").has("metadata"))
                .isTrue();
    }
}
