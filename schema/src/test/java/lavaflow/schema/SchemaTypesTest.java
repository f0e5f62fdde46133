package lavaflow.schema;

import lavaflow.kube.Comparison;
import lavaflow.kube.Json;
import lavaflow.kube.ManagedFields;
import lavaflow.kube.Struct;
import lavaflow.kube.Type;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SchemaTypesTest {
    private static final String SCHEMA = """
            {"type":"object","properties":{"spec":{"type":"object","properties":{
              "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
                "items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},
                  "protocol":{"type":"string","default":"TCP"},"name":{"type":"string"}}}},
              "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
              "args":{"type":"array","items":{"type":"string"}},
              "selector":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
              "labels":{"type":"object","additionalProperties":{"type":"string"}},
              "pools":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"map",
                "x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
                  "properties":{"name":{"type":"string"},"size":{"type":"integer"},
                    "zones":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set",
                      "items":{"type":"string"}}}}}}},
              "limits":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-map-type":"atomic",
                "additionalProperties":{"type":"string"}}},
              "raw":{"x-kubernetes-preserve-unknown-fields":true},
              "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}},
              "template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}
            }}}}""";

    private final SchemaTypes types = new SchemaTypes(StructuralSchema.parse(Json.parse(SCHEMA)), "ex.com/v1/Foo");

    private String changes(String before, String after) {
        Comparison comparison =
                Comparison.of(types, types.root(), (ObjectNode) Json.parse(before), (ObjectNode) Json.parse(after));
        return "removed " + Json.string(comparison.removed().toJson()) + " modified "
                + Json.string(comparison.modified().toJson()) + " added "
                + Json.string(comparison.added().toJson());
    }

    @Test
    void theRootHasTypeAndMetadataOfEveryObject() {
        Struct root = types.struct(types.root());
        assertThat(root.fields()).containsOnlyKeys("apiVersion", "kind", "metadata", "spec");
        assertThat(root.open()).isFalse();
        assertThat(types.struct("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
                        .fields())
                .containsKey("finalizers");
    }

    @Test
    void elementsOfListsWithKeysAreOwnedByKeyCompletedByDefaults() {
        assertThat(changes(
                        "{\"spec\":{\"ports\":[{\"port\":1}]}}",
                        "{\"spec\":{\"ports\":[{\"port\":1,\"name\":\"a\"}]}}"))
                .isEqualTo(
                        "removed {} modified {} added "
                                + "{\"f:spec\":{\"f:ports\":{\"k:{\\\"port\\\":1,\\\"protocol\\\":\\\"TCP\\\"}\":{\"f:name\":{}}}}}");
    }

    @Test
    void setsAreOwnedByValueAndOtherListsAsAWhole() {
        assertThat(changes(
                        "{\"spec\":{\"tags\":[\"a\"],\"args\":[\"a\"]}}",
                        "{\"spec\":{\"tags\":[\"a\",\"b\"],\"args\":[\"a\",\"b\"]}}"))
                .isEqualTo(
                        "removed {} modified {\"f:spec\":{\"f:args\":{}}} added {\"f:spec\":{\"f:tags\":{\"v:\\\"b\\\"\":{}}}}");
    }

    @Test
    void mapsAreOwnedByKeyUnlessAtomic() {
        assertThat(changes(
                        "{\"spec\":{\"labels\":{\"a\":\"1\"},\"selector\":{\"a\":\"1\"}}}",
                        "{\"spec\":{\"labels\":{\"a\":\"2\"},\"selector\":{\"a\":\"2\"}}}"))
                .isEqualTo("removed {} modified {\"f:spec\":{\"f:labels\":{\"f:a\":{}},\"f:selector\":{}}} added {}");
    }

    @Test
    void listsAndMapsInMapsAreOwnedAsTheirOwnSchemaSays() {
        assertThat(changes(
                        "{\"spec\":{\"pools\":{\"a\":[{\"name\":\"x\",\"size\":1}]}}}",
                        "{\"spec\":{\"pools\":{\"a\":[{\"name\":\"x\",\"size\":2},{\"name\":\"y\"}]}}}"))
                .isEqualTo(
                        "removed {} modified {\"f:spec\":{\"f:pools\":{\"f:a\":{\"k:{\\\"name\\\":\\\"x\\\"}\":{\"f:size\":{}}}}}} "
                                + "added {\"f:spec\":{\"f:pools\":{\"f:a\":{\"k:{\\\"name\\\":\\\"y\\\"}\":{\".\":{},\"f:name\":{}}}}}}");
        assertThat(changes(
                        "{\"spec\":{\"pools\":{\"a\":[{\"name\":\"x\",\"zones\":{\"z\":[\"1\"]}}]}}}",
                        "{\"spec\":{\"pools\":{\"a\":[{\"name\":\"x\",\"zones\":{\"z\":[\"1\",\"2\"]}}]}}}"))
                .endsWith("{\"f:zones\":{\"f:z\":{\"v:\\\"2\\\"\":{}}}}}}}}");
        assertThat(changes(
                        "{\"spec\":{\"limits\":{\"a\":{\"cpu\":\"1\"}}}}",
                        "{\"spec\":{\"limits\":{\"a\":{\"cpu\":\"2\"}}}}"))
                .isEqualTo("removed {} modified {\"f:spec\":{\"f:limits\":{\"f:a\":{}}}} added {}");
    }

    @Test
    void applyingMergesListsInMapsByElement() {
        ManagedFields owners = new ManagedFields(ManagedFields.Endpoint.of(types, types.root(), "ex.com/v1", "Foo"));
        String head =
                "{\"apiVersion\":\"ex.com/v1\",\"kind\":\"Foo\",\"metadata\":{\"name\":\"f\"},\"spec\":{\"pools\":{\"a\":[";
        ObjectNode first = owners.apply(
                null,
                (ObjectNode) Json.parse(head + "{\"name\":\"x\",\"size\":1}]}}}"),
                "one",
                false,
                "2026-01-01T00:00:00Z");
        ObjectNode both = owners.apply(
                first,
                (ObjectNode) Json.parse(head + "{\"name\":\"y\",\"size\":2}]}}}"),
                "two",
                false,
                "2026-01-01T00:00:00Z");
        assertThat(Json.string(both.at("/spec")))
                .isEqualTo("{\"pools\":{\"a\":[{\"name\":\"x\",\"size\":1},{\"name\":\"y\",\"size\":2}]}}");
        ObjectNode gone =
                owners.apply(both, (ObjectNode) Json.parse(head + "]}}}"), "one", false, "2026-01-01T00:00:00Z");
        assertThat(Json.string(gone.at("/spec"))).isEqualTo("{\"pools\":{\"a\":[{\"name\":\"y\",\"size\":2}]}}");
    }

    @Test
    void contentWithoutSchemaIsOwnedByWhatItLooksLike() {
        assertThat(changes(
                        "{\"spec\":{\"raw\":{\"x\":{\"y\":1}}}}", "{\"spec\":{\"raw\":{\"x\":{\"y\":2,\"z\":[1]}}}}"))
                .isEqualTo("removed {} modified {\"f:spec\":{\"f:raw\":{\"f:x\":{\"f:y\":{}}}}} "
                        + "added {\"f:spec\":{\"f:raw\":{\"f:x\":{\"f:z\":{}}}}}");
        assertThat(changes("{\"spec\":{\"raw\":1}}", "{\"spec\":{\"raw\":[2]}}"))
                .isEqualTo("removed {} modified {\"f:spec\":{\"f:raw\":{}}} added {}");
    }

    @Test
    void openStructsKeepWhatTheyDoNotDeclare() {
        Struct spec = types.struct(
                ((Type.Ref) types.struct(types.root()).field("spec").type()).struct());
        Struct free = types.struct(((Type.Ref) spec.field("free").type()).struct());
        assertThat(free.open()).isTrue();
        Struct template = types.struct(((Type.Ref) spec.field("template").type()).struct());
        assertThat(template.fields()).containsKeys("apiVersion", "kind", "metadata");
    }
}
