package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Built-in types in the schemas of custom kinds, as controller-gen writes them. */
class BuiltinSchemaTest {
    private static final String CORE = "io.k8s.api.core.v1.";

    @Test
    void tellsListsThatAreMapsByTheirKeysAndDefaultsOfKeys() {
        assertThat(property(CORE + "Container", "ports")).isEqualTo(Json.parse("""
                                {"type":"array","items":{"type":"object","properties":{
                                  "containerPort":{"type":"integer","format":"int32"},"hostIP":{"type":"string"},
                                  "hostPort":{"type":"integer","format":"int32"},"name":{"type":"string"},
                                  "protocol":{"type":"string","default":"TCP"}},"required":["containerPort"]},
                                 "x-kubernetes-list-map-keys":["containerPort","protocol"],"x-kubernetes-list-type":"map"}
                                """));
    }

    @Test
    void letsOnlyPeoplesOwnMetadataStandInTemplates() {
        assertThat(property(CORE + "PodTemplateSpec", "metadata")
                        .get("properties")
                        .fieldNames())
                .toIterable()
                .containsExactly("annotations", "finalizers", "labels", "name", "namespace");
    }

    @Test
    void tellsAmountsAsNumberOrText() {
        JsonNode amount = property(CORE + "ResourceRequirements", "limits").get("additionalProperties");
        assertThat(amount.get("anyOf")).isEqualTo(Json.parse("[{\"type\":\"integer\"},{\"type\":\"string\"}]"));
        assertThat(amount.get("x-kubernetes-int-or-string").asBoolean()).isTrue();
        assertThat("1.5Gi").matches(amount.get("pattern").asText());
        assertThat("much").doesNotMatch(amount.get("pattern").asText());
    }

    @Test
    void ownsAsAWholeWhatTakesInAReference() {
        assertThat(BuiltinSchema.of(CORE + "ConfigMapEnvSource").get("x-kubernetes-map-type"))
                .isEqualTo(Json.text("atomic"));
        assertThat(BuiltinSchema.of(CORE + "Container").has("x-kubernetes-map-type"))
                .isFalse();
    }

    @Test
    void leavesOutDefaultsThatGoTakesFromConstants() {
        JsonNode disk = BuiltinSchema.of(CORE + "AzureDiskVolumeSource").get("properties");
        assertThat(disk.get("kind").has("default")).isFalse();
        assertThat(disk.get("fsType").get("default")).isEqualTo(Json.text("ext4"));
    }

    private static JsonNode property(String struct, String field) {
        ObjectNode schema = BuiltinSchema.of(struct);
        return schema.get("properties").get(field);
    }
}
