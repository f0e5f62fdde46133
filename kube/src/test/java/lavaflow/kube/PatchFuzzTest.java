package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Any patch gives a result or an answer to the client, and never changes the object it is applied to.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class PatchFuzzTest {
    private static final String NOW = "2026-01-02T03:04:05Z";

    private static final String LIVE = """
            {"apiVersion":"apps/v1","kind":"Deployment",
             "metadata":{"name":"d","uid":"1","labels":{"a":"1"},"finalizers":["a/a","b/b"],
              "managedFields":[{"manager":"k","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:00Z",
               "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},
               "f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\\"name\\":\\"a\\"}":{".":{},
               "f:image":{},"f:name":{}}}}}}}},
               {"manager":"m","operation":"Apply","apiVersion":"apps/v1","fieldsType":"FieldsV1",
               "fieldsV1":{"f:spec":{"f:paused":{},"f:template":{"f:spec":{"f:containers":{"k:{\\"name\\":\\"b\\"}":{
               ".":{},"f:name":{}}}}}}}}]},
             "spec":{"replicas":1,"paused":true,"strategy":{"type":"RollingUpdate"},
              "template":{"spec":{"containers":[{"name":"a","image":"a","env":[{"name":"x","value":"x"}],"args":["1"],
               "ports":[{"containerPort":80,"protocol":"TCP"}]},{"name":"b"}],
               "volumes":[{"name":"v","emptyDir":{}}],"nodeSelector":{"q":"r"},"free":{"a":{"b":1}}}}}}""";

    private static final ManagedFields MANAGED =
            new ManagedFields(ManagedFields.Endpoint.of(TestingTypes.WORKLOADS, "Deployment", "apps/v1", "Deployment"));

    private interface Patching {
        void apply(ObjectNode live, JsonNode patch);
    }

    private static Optional<JsonNode> json(byte[] input) {
        try {
            return Optional.of(Json.parseUntrusted(input)).filter(node -> !node.isMissingNode());
        } catch (JsonProcessingException _) {
            return Optional.empty();
        }
    }

    private static void attempt(byte[] input, Patching patching) {
        ObjectNode live = (ObjectNode) Json.parse(LIVE);
        Optional<JsonNode> patch = json(input);
        if (patch.isEmpty()) {
            return;
        }
        try {
            patching.apply(live, patch.get());
        } catch (ApiException e) {
            if (e.code() < 400 || e.code() >= 500) {
                throw new AssertionError("a bad request must not be answered with " + e.code(), e);
            }
        }
        if (!live.equals(Json.parse(LIVE))) {
            throw new AssertionError("the object was changed by " + new String(input, StandardCharsets.UTF_8));
        }
    }

    @FuzzTest
    void jsonPatch(byte[] input) {
        attempt(input, (live, patch) -> JsonPatch.parse(patch, true).apply(live));
        attempt(input, (live, patch) -> JsonPatch.parse(patch, false).apply(live));
    }

    @FuzzTest
    void mergePatch(byte[] input) {
        attempt(input, (live, patch) -> MergePatch.apply(live, patch, false));
    }

    @FuzzTest
    void strategicMergePatch(byte[] input) {
        attempt(input, (live, patch) -> {
            if (patch instanceof ObjectNode object) {
                StrategicMergePatch.apply(TestingTypes.WORKLOADS, "Deployment", live, object);
            }
        });
    }

    @FuzzTest
    void fieldSet(byte[] input) {
        attempt(input, (_, patch) -> {
            FieldSet fields = FieldSet.parse(patch);
            FieldSet again = FieldSet.parse(fields.toJson());
            if (!fields.equals(again)) {
                throw new AssertionError(fields + " was read back as " + again);
            }
        });
    }

    @FuzzTest
    void apply(byte[] input) {
        attempt(input, (live, patch) -> {
            if (patch instanceof ObjectNode config) {
                config.put("apiVersion", "apps/v1").put("kind", "Deployment");
                MANAGED.apply(live, config, "m", true, NOW);
                MANAGED.apply(null, config, "kubectl", false, NOW);
                MANAGED.apply(live, config, "kubectl", false, NOW);
            }
        });
    }

    @FuzzTest
    void update(byte[] input) {
        attempt(input, (live, patch) -> {
            if (patch instanceof ObjectNode object) {
                MANAGED.update(live, object.deepCopy(), "m", NOW);
                MANAGED.update(null, object.deepCopy(), "m", NOW);
            }
        });
    }
}
