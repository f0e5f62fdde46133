package lavaflow.kinds;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Every recorded answer of a real kube-apiserver about a workload, network or access kind, against our rules. */
class WorkloadRecordingsTest {
    private static final String UID = "00000000-0000-0000-0000-000000000000";

    private static final Map<String, String> FILES = Map.ofEntries(
            Map.entry("deployment", "apps/deployments"),
            Map.entry("replicaset", "apps/replicasets"),
            Map.entry("daemonset", "apps/daemonsets"),
            Map.entry("statefulset", "apps/statefulsets"),
            Map.entry("controllerrevision", "apps/controllerrevisions"),
            Map.entry("job", "batch/jobs"),
            Map.entry("cronjob", "batch/cronjobs"),
            Map.entry("horizontalpodautoscaler", "autoscaling/horizontalpodautoscalers"),
            Map.entry("poddisruptionbudget", "policy/poddisruptionbudgets"),
            Map.entry("priorityclass", "scheduling.k8s.io/priorityclasses"),
            Map.entry("lease", "coordination.k8s.io/leases"),
            Map.entry("role", "rbac.authorization.k8s.io/roles"),
            Map.entry("clusterrole", "rbac.authorization.k8s.io/clusterroles"),
            Map.entry("rolebinding", "rbac.authorization.k8s.io/rolebindings"),
            Map.entry("clusterrolebinding", "rbac.authorization.k8s.io/clusterrolebindings"),
            Map.entry("runtimeclass", "node.k8s.io/runtimeclasses"),
            Map.entry("ingress", "networking.k8s.io/ingresses"),
            Map.entry("ingressclass", "networking.k8s.io/ingressclasses"),
            Map.entry("networkpolicy", "networking.k8s.io/networkpolicies"),
            Map.entry("ipaddress", "networking.k8s.io/ipaddresses"),
            Map.entry("servicecidr", "networking.k8s.io/servicecidrs"));

    @TestFactory
    Stream<DynamicContainer> ourRulesAnswerAsUpstreamDid() {
        return FILES.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(file -> DynamicContainer.dynamicContainer(file.getKey(), cases(file.getKey(), file.getValue())));
    }

    private static Stream<DynamicTest> cases(String file, String resource) {
        int slash = resource.indexOf('/');
        KindRules rules = BuiltinKinds.rules(resource.substring(0, slash), "v2", resource.substring(slash + 1));
        return Recording.read(file + ".jsonl")
                .map(recording -> DynamicTest.dynamicTest(recording.name(), () -> replay(recording, rules)));
    }

    private static void replay(Recording recording, KindRules rules) {
        ObjectNode object = recording.object();
        boolean create = !recording.line().has("old");
        ObjectNode old = create ? null : recording.old();
        FieldErrors errors = new FieldErrors();
        List<String> warnings = List.of();
        try {
            rules.applyDefaults(object);
        } catch (ApiException e) {
            assertThat(e.getMessage()).isEqualTo(Json.textAt(recording.line(), "message"));
            return;
        }
        if (old == null) {
            create(object, rules, errors);
            warnings = rules.warnings(object, null);
        } else if (recording.subresource().equals("status")) {
            rules.prepareForStatusUpdate(object, old);
            rules.validateStatusUpdate(object, old, errors);
        } else {
            rules.prepareForUpdate(object, old);
            countGeneration(object, old, rules);
            rules.validateUpdate(object, old, errors);
            warnings = rules.warnings(object, old);
        }
        assertThat(shown(errors)).isEqualTo(expected(recording.line()));
        if (recording.line().has("result")) {
            ObjectNode result = (ObjectNode) recording.line().get("result");
            Json.ensureObject(result, "metadata").remove("namespace");
            Json.ensureObject(object, "metadata").remove("namespace");
            assertSame("", object, result);
            List<String> expected = Nodes.strings(recording.line(), "warnings").stream()
                    .filter(warning -> !warning.startsWith("unknown field"))
                    .toList();
            if (recording.subresource().isEmpty()) {
                assertThat(warnings).isEqualTo(expected);
            }
        }
    }

    /** What the pipeline does around the rules. */
    private static void create(ObjectNode object, KindRules rules, FieldErrors errors) {
        ObjectNode metadata = Json.ensureObject(object, "metadata");
        metadata.put("uid", UID);
        if (rules.traits().contains(KindRules.Trait.GENERATION)) {
            metadata.put("generation", 1);
        }
        rules.prepareForCreate(object);
        String name = Json.textAt(metadata, "name");
        FieldChecks.invalid(FieldPath.of("metadata", "name"), name, rules.nameErrors(name, false), errors);
        rules.validateCreate(object, errors);
    }

    private static void countGeneration(ObjectNode object, ObjectNode old, KindRules rules) {
        if (rules.traits().contains(KindRules.Trait.GENERATION)) {
            long generation = Json.longAt(old, 0, "metadata", "generation");
            Json.ensureObject(object, "metadata")
                    .put("generation", generation + (rules.specChanged(object, old) ? 1 : 0));
        }
    }

    private static List<String> shown(FieldErrors errors) {
        return errors.list().stream()
                .map(error -> error.reason().wireName() + " " + error.field() + " " + error.detail())
                .toList();
    }

    private static List<String> expected(JsonNode line) {
        return Json.listAt(line, "errors")
                .valueStream()
                .map(error -> error.get(0).asText() + " " + error.get(1).asText() + " "
                        + error.get(2).asText())
                .toList();
    }

    /** Equal but for fields that Go always writes and the pipeline adds: zero and absent are the same. */
    static void assertSame(String path, JsonNode actual, JsonNode expected) {
        if (empty(actual) && empty(expected)) {
            return;
        }
        if (!(actual instanceof ObjectNode) || !(expected instanceof ObjectNode)) {
            if (actual.isArray() && expected.isArray() && actual.size() == expected.size()) {
                for (int i = 0; i < actual.size(); i++) {
                    assertSame(path + "[" + i + "]", actual.get(i), expected.get(i));
                }
                return;
            }
            assertThat(actual).as(path).isEqualTo(expected);
            return;
        }
        for (Map.Entry<String, JsonNode> field : expected.properties()) {
            JsonNode ours = actual.get(field.getKey());
            if (ours != null) {
                assertSame(path + "." + field.getKey(), ours, field.getValue());
            } else {
                assertThat(empty(field.getValue()))
                        .as("missing %s.%s", path, field.getKey())
                        .isTrue();
            }
        }
        for (Map.Entry<String, JsonNode> field : actual.properties()) {
            assertThat(expected.has(field.getKey()) || empty(field.getValue()))
                    .as("unexpected %s.%s: %s", path, field.getKey(), field.getValue())
                    .isTrue();
        }
    }

    private static boolean empty(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, ARRAY -> value.valueStream().allMatch(WorkloadRecordingsTest::empty);
            case NUMBER -> value.longValue() == 0;
            case STRING -> value.textValue().isEmpty();
            case BOOLEAN -> !value.booleanValue();
            case NULL, MISSING, BINARY, POJO -> true;
        };
    }
}
