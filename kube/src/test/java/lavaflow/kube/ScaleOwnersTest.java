package lavaflow.kube;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Owners of replicas, and what endpoints reset. */
class ScaleOwnersTest {
    private static JsonNode entries(String text) {
        return Json.parse(text.replace('\'', '"'));
    }

    private static final JsonNode PARENT = entries("""
            [{'manager':'a','operation':'Apply','apiVersion':'apps/v1','time':'2026-01-01T00:00:00Z','fieldsType':'FieldsV1',
              'fieldsV1':{'f:spec':{'f:replicas':{}}},'subresource':'scale'},
             {'manager':'u','operation':'Update','apiVersion':'apps/v1','time':'2026-01-01T00:00:00Z','fieldsType':'FieldsV1',
              'fieldsV1':{'f:spec':{'f:paused':{},'f:replicas':{}}}},
             {'manager':'o','operation':'Update','apiVersion':'apps/v1','fieldsType':'FieldsV1',
              'fieldsV1':{'f:spec':{'f:paused':{}}}}]""");

    @Test
    void aScaleHasTheOwnersOfReplicas() {
        assertThat(ScaleOwners.toScale(PARENT, "apps/v1", ".spec.replicas")).isEqualTo(entries("""
                [{'manager':'a','operation':'Apply','apiVersion':'autoscaling/v1','time':'2026-01-01T00:00:00Z',
                  'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:replicas':{}}},'subresource':'scale'},
                 {'manager':'u','operation':'Update','apiVersion':'autoscaling/v1','time':'2026-01-01T00:00:00Z',
                  'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:replicas':{}}}}]"""));
        assertThat(ScaleOwners.toScale(null, "apps/v1", ".spec.replicas")).isEmpty();
    }

    @Test
    void whoScalesTakesReplicasAndHasNoTime() {
        JsonNode scale = entries("""
                [{'manager':'s','operation':'Update','apiVersion':'autoscaling/v1','time':'2026-01-02T00:00:00Z',
                  'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:replicas':{}}},'subresource':'scale'}]""");
        assertThat(ScaleOwners.toParent(PARENT, scale, "apps/v1", ".spec.replicas"))
                .isEqualTo(entries("""
                [{'manager':'o','operation':'Update','apiVersion':'apps/v1','fieldsType':'FieldsV1',
                  'fieldsV1':{'f:spec':{'f:paused':{}}}},
                 {'manager':'s','operation':'Update','apiVersion':'apps/v1','fieldsType':'FieldsV1',
                  'fieldsV1':{'f:spec':{'f:replicas':{}}},'subresource':'scale'},
                 {'manager':'u','operation':'Update','apiVersion':'apps/v1','time':'2026-01-01T00:00:00Z',
                  'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:paused':{}}}}]"""));
    }

    @Test
    void whoAppliedReplicasKeepsThemWhileTheScaleSaysSo() {
        JsonNode scale = entries("""
                [{'manager':'a','operation':'Apply','apiVersion':'autoscaling/v1','time':'2026-01-02T00:00:00Z',
                  'fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:replicas':{}}},'subresource':'scale'}]""");
        JsonNode after = ScaleOwners.toParent(PARENT, scale, "apps/v1", ".spec.replicas");
        assertThat(after).contains(PARENT.get(0)).hasSize(3);
    }

    @Test
    void endpointsResetWhatUpstreamResets() {
        KindInfo deployments = KindTable.builtin().resource("apps", "v1", "deployments");
        FieldSet all =
                FieldSet.ofFields("spec.replicas", "status.replicas", "metadata.labels.a", "metadata.annotations.b");
        assertThat(EndpointFields.filter(deployments, "").filter(all))
                .hasToString(".metadata.annotations.b\n.metadata.labels.a\n.spec.replicas");
        assertThat(EndpointFields.filter(deployments, "status").filter(all))
                .hasToString(".metadata.annotations.b\n.status.replicas");
        KindInfo pods = KindTable.builtin().resource("", "v1", "pods");
        assertThat(EndpointFields.filter(pods, "ephemeralcontainers")
                        .filter(all)
                        .isEmpty())
                .isTrue();
        assertThat(EndpointFields.filter(pods, "resize").filter(all)).isSameAs(all);
        KindInfo configMaps = KindTable.builtin().resource("", "v1", "configmaps");
        assertThat(EndpointFields.filter(configMaps, "").filter(all)).isSameAs(all);
    }
}
