package lavaflow.controller;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DefinitionFilesTest {
    private final DefinitionFiles files = new DefinitionFiles(DefinitionFilesTest.class, List.of("things.example.com"));
    private final JsonNode schema = files.read("things.example.com").get("schema");

    @Test
    void fillsInBuiltInTypesAndWhatStandsBesideThem() {
        assertThat(schema.get("selector")).isEqualTo(Json.parse("""
                                {"type":"object","properties":{"name":{"type":"string","default":""}},
                                 "x-kubernetes-map-type":"atomic","description":"Whom it is about."}
                                """));
    }

    @Test
    void fillsInPartsOfOtherFiles() {
        JsonNode part = Json.parse("{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}");
        assertThat(schema.get("part")).isEqualTo(part);
        assertThat(schema.get("list").get(0)).isEqualTo(part);
    }

    @Test
    void copiesWhatAFileRepeats() {
        assertThat(schema.get("second")).isEqualTo(schema.get("first")).isNotSameAs(schema.get("first"));
    }

    @Test
    void tellsFilesApartByWhatIsInThem() {
        assertThat(files.fingerprint("things.example.com"))
                .hasSize(8)
                .isEqualTo(files.fingerprint("things.example.com"))
                .isNotEqualTo(files.fingerprint("a-part"));
    }

    @Test
    void saysWhichFileIsMissing() {
        assertThatThrownBy(() -> files.read("nothing")).hasMessage("definitions/nothing.yaml");
    }
}
