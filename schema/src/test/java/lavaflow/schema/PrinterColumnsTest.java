package lavaflow.schema;

import java.time.Instant;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PrinterColumnsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");
    private static final ObjectNode OBJECT = (ObjectNode) Json.parse("""
            {"metadata":{"name":"x","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a.b/c":"d"}},
             "spec":{"n":3,"f":2.75,"t":true,"s":"text","nul":null,"l":[{"k":"a","v":1},{"k":"b","v":2}],"o":{"z":1,"a":"b"}},
             "status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Done","status":"False"}]}}""");

    @Test
    void withoutDeclaredColumnsTheAgeIsShown() {
        PrinterColumns columns = PrinterColumns.of(Json.object());
        assertThat(columns.columns()).extracting(PrinterColumns.Column::name).containsExactly("Name", "Age");
        assertThat(columns.cells(OBJECT, NOW)).extracting(JsonNode::asText).containsExactly("x", "60m");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            string  | .spec.s                                          | "text"
            string  | .spec.n                                          | "3"
            string  | .spec.f                                          | "2.75"
            string  | .spec.t                                          | "true"
            string  | .spec.nul                                        | "null"
            string  | .spec.o                                          | "{\\"a\\":\\"b\\",\\"z\\":1}"
            string  | .spec.l[0].k                                     | "a"
            string  | .spec.l[-1].k                                    | "b"
            string  | .spec.l[5].k                                     | null
            string  | .spec.l[*].k                                     | "a"
            string  | .spec.l[1:].k                                    | "b"
            string  | .spec.none                                       | null
            string  | .metadata.labels.a\\.b/c                         | "d"
            string  | .metadata.labels['a\\.b/c']                      | "d"
            string  | .status.conditions[?(@.type=="Done")].status     | "False"
            string  | .status.conditions[?(@.type=='Ready')].status    | "True"
            string  | .spec.l[?(@.v>1)].k                              | "b"
            string  | .spec.l[?(@.none)].k                             | null
            string  | ..k                                              | "a"
            integer | .spec.n                                          | 3
            integer | .spec.f                                          | 2
            integer | .spec.s                                          | null
            number  | .spec.f                                          | 2.75
            boolean | .spec.t                                          | true
            boolean | .spec.s                                          | null
            date    | .metadata.creationTimestamp                      | "60m"
            date    | .spec.s                                          | "<invalid>"
            date    | .spec.n                                          | null
            """)
    void cellsShowWhatThePathLeadsTo(String type, String path, String cell) {
        ObjectNode version = Json.object();
        version.putArray("additionalPrinterColumns")
                .addObject()
                .put("name", "C")
                .put("type", type)
                .put("jsonPath", path);
        List<JsonNode> cells = PrinterColumns.of(version).cells(OBJECT, NOW);
        assertThat(cells.get(1)).isEqualTo(Json.parse(cell));
    }

    @ParameterizedTest
    @ValueSource(strings = {".a[", ".a[x]", ".a[?(@.b", ".a....b", ".a[?(@.b)", ".a\n", ".a[0]'x", ".a[0]#"})
    void brokenPathsAreRefused(String path) {
        assertThatThrownBy(() -> JsonPath.parse(path)).isInstanceOf(IllegalArgumentException.class);
    }
}
