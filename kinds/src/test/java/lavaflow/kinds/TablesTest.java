package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Columns were recorded from the real server, rows from upstream's printers. */
class TablesTest {
    private static Stream<String> lines(String file) throws IOException {
        try (InputStream in = TablesTest.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
        }
    }

    static Stream<String> columns() throws IOException {
        return lines("table-columns.txt");
    }

    static Stream<String> rows() throws IOException {
        return lines("table-rows.jsonl");
    }

    private static Tables.Layout layout(String resource) {
        int slash = resource.indexOf('/');
        return Tables.layout(resource.substring(0, slash), resource.substring(slash + 1));
    }

    private static String shown(TableColumn column) {
        return column.name()
                + (column.type().equals("string") ? "" : ":" + column.type())
                + (column.format().isEmpty() ? "" : "/" + column.format())
                + (column.priority() == 0 ? "" : "*");
    }

    @ParameterizedTest
    @MethodSource("columns")
    void everyKindHasUpstreamsColumns(String line) {
        int colon = line.indexOf(": ");
        String columns = layout(line.substring(0, colon)).columns().stream()
                .map(TablesTest::shown)
                .collect(Collectors.joining("; "));
        assertThat(columns).isEqualTo(line.substring(colon + 2));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void rowsAreFilledAsUpstreamFillsThem(String line) {
        JsonNode row = Json.parse(line);
        Tables.Layout layout = layout(row.get("resource").asText());
        ObjectNode object = (ObjectNode) row.get("object");
        assertThat(Json.string(layout.cells(object, Instant.parse(row.get("now").asText()))))
                .isEqualTo(Json.string(row.get("cells")));
        assertThat(layout.conditions(object))
                .isEqualTo(row.path("conditions").isArray() ? row.get("conditions") : Json.array());
    }

    @Test
    void kindsWithoutTableShowWhenTheyWereMade() {
        ObjectNode object = Json.object();
        object.putObject("metadata").put("name", "x").put("creationTimestamp", "2026-01-01T00:00:00Z");
        assertThat(Json.string(Tables.layout("", "limitranges").cells(object, Instant.EPOCH)))
                .isEqualTo("[\"x\",\"2026-01-01T00:00:00Z\"]");
        assertThat(Tables.layout("", "limitranges").isPlain()).isTrue();
        assertThat(Tables.layout("", "pods").isPlain()).isFalse();
    }

    @Test
    void scalesAndServicesOfApisHaveTables() {
        ObjectNode scale = (ObjectNode) Json.parse("""
                {"metadata":{"name":"x","creationTimestamp":"1970-01-01T00:00:00Z"},"spec":{"replicas":3},"status":{"replicas":2}}""");
        assertThat(Json.string(Tables.SCALE.cells(scale, Instant.ofEpochSecond(5))))
                .isEqualTo("[\"x\",3,2,\"5s\"]");
        ObjectNode api = (ObjectNode) Json.parse("""
                {"metadata":{"name":"v1.a.io","creationTimestamp":"1970-01-01T00:00:00Z"},
                 "spec":{"service":{"namespace":"d","name":"s"}},
                 "status":{"conditions":[{"type":"Available","status":"False","reason":"MissingEndpoints"}]}}""");
        assertThat(Json.string(
                        Tables.layout("apiregistration.k8s.io", "apiservices").cells(api, Instant.ofEpochSecond(5))))
                .isEqualTo("[\"v1.a.io\",\"d/s\",\"False (MissingEndpoints)\",\"5s\"]");
    }

    @Test
    void flowSchemasAreShownByPrecedence() {
        ObjectNode late =
                (ObjectNode) Json.parse("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"matchingPrecedence\":9}}");
        ObjectNode early =
                (ObjectNode) Json.parse("{\"metadata\":{\"name\":\"b\"},\"spec\":{\"matchingPrecedence\":1}}");
        List<ObjectNode> list = List.of(late, early);
        assertThat(Tables.layout("flowcontrol.apiserver.k8s.io", "flowschemas").ordered(list))
                .containsExactly(early, late);
        assertThat(Tables.layout("", "pods").ordered(list)).isSameAs(list);
    }
}
