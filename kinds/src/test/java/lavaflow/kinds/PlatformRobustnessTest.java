package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.KindTable;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** Whatever decodes is judged, however odd: no rule throws. Seeded, so that a failure repeats. */
class PlatformRobustnessTest {
    private static final int CHANGES_PER_OBJECT = 15;
    private static final Map<String, String> FILES = new LinkedHashMap<>();

    static {
        FILES.put("namespace", "/namespaces");
        FILES.put("service", "/services");
        FILES.put("endpoints", "/endpoints");
        FILES.put("configmap", "/configmaps");
        FILES.put("serviceaccount", "/serviceaccounts");
        FILES.put("event", "/events");
        FILES.put("limitrange", "/limitranges");
        FILES.put("resourcequota", "/resourcequotas");
        FILES.put("persistentvolume", "/persistentvolumes");
        FILES.put("persistentvolumeclaim", "/persistentvolumeclaims");
        FILES.put("secret", "/secrets");
        FILES.put("endpointslice", "discovery.k8s.io/endpointslices");
        FILES.put("storageclass", "storage.k8s.io/storageclasses");
        FILES.put("csidriver", "storage.k8s.io/csidrivers");
        FILES.put("csinode", "storage.k8s.io/csinodes");
        FILES.put("csistoragecapacity", "storage.k8s.io/csistoragecapacities");
        FILES.put("volumeattachment", "storage.k8s.io/volumeattachments");
        FILES.put("volumeattributesclass", "storage.k8s.io/volumeattributesclasses");
        FILES.put("certificatesigningrequest", "certificates.k8s.io/certificatesigningrequests");
        FILES.put("flowschema", "flowcontrol.apiserver.k8s.io/flowschemas");
        FILES.put("prioritylevelconfiguration", "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations");
        FILES.put("apiservice", "apiregistration.k8s.io/apiservices");
        FILES.put("validatingwebhookconfiguration", "admissionregistration.k8s.io/validatingwebhookconfigurations");
        FILES.put("validatingadmissionpolicy", "admissionregistration.k8s.io/validatingadmissionpolicies");
        FILES.put("validatingadmissionpolicybinding", "admissionregistration.k8s.io/validatingadmissionpolicybindings");
        FILES.put("mutatingadmissionpolicy", "admissionregistration.k8s.io/mutatingadmissionpolicies");
        FILES.put("customresourcedefinition", "apiextensions.k8s.io/customresourcedefinitions");
        FILES.put("resourceclaim", "resource.k8s.io/resourceclaims");
        FILES.put("resourceclaimtemplate", "resource.k8s.io/resourceclaimtemplates");
        FILES.put("deviceclass", "resource.k8s.io/deviceclasses");
        FILES.put("resourceslice", "resource.k8s.io/resourceslices");
    }

    @TestFactory
    Stream<DynamicTest> rulesJudgeEverything() {
        return FILES.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> torment(entry.getKey(), entry.getValue())));
    }

    private static void torment(String file, String resource) throws IOException {
        int slash = resource.indexOf('/');
        String struct = Objects.requireNonNull(
                        KindTable.builtin().resource(resource.substring(0, slash), "v1", resource.substring(slash + 1)))
                .struct();
        KindRules rules = Sample.rules(resource);
        Random random = new Random(file.hashCode());
        try (InputStream in =
                Objects.requireNonNull(PlatformRobustnessTest.class.getResourceAsStream(file + ".jsonl"))) {
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            int judged = 0;
            for (String line : lines) {
                ObjectNode object = (ObjectNode) ((ObjectNode) Json.parse(line)).get("object");
                for (int i = 0; i < CHANGES_PER_OBJECT; i++) {
                    ObjectNode changed = object.deepCopy();
                    for (int j = random.nextInt(4); j >= 0; j--) {
                        change(changed, random);
                    }
                    judged += judge(rules, resource, struct, object, changed) ? 1 : 0;
                }
            }
            // Most changes still decode, so that the rules are what is tested.
            assertThat(judged).isGreaterThan(lines.size() * CHANGES_PER_OBJECT / 10);
        }
    }

    private static boolean judge(KindRules rules, String resource, String struct, ObjectNode before, ObjectNode after) {
        ObjectNode object;
        ObjectNode old;
        try {
            object = TypedDecoder.decode(BuiltinTypes.instance(), struct, after).object();
            old = TypedDecoder.decode(BuiltinTypes.instance(), struct, before).object();
        } catch (DecodingException e) {
            return false;
        }
        assertThatCode(() -> run(rules, resource, object, old))
                .as(after.toString())
                .doesNotThrowAnyException();
        return true;
    }

    private static void run(KindRules rules, String resource, ObjectNode object, ObjectNode old) {
        ObjectNode created = object.deepCopy();
        rules.applyDefaults(created);
        rules.applyDefaults(old);
        if (resource.equals("/services")) {
            ServiceAddresses.plan(null, created, List.of("IPv4", "IPv6"), new FieldErrors());
            ServiceAddresses.plan(old, created.deepCopy(), List.of("IPv4"), new FieldErrors());
        }
        ObjectNode updated = created.deepCopy();
        ObjectNode status = created.deepCopy();
        rules.prepareForCreate(created);
        rules.stamp(created, null, Sample.NOW);
        rules.validateCreate(created, new FieldErrors());
        rules.warnings(created, null);
        rules.prepareForUpdate(updated, old);
        rules.stamp(updated, old, Sample.NOW);
        rules.validateUpdate(updated, old, new FieldErrors());
        rules.warnings(updated, old);
        rules.specChanged(updated, old);
        rules.prepareForStatusUpdate(status, old);
        rules.stamp(status, old, Sample.NOW);
        rules.validateStatusUpdate(status, old, new FieldErrors());
        rules.selectableFields().forEach(field -> rules.selectableField(created, field));
    }

    /** Replaces, removes or repeats one place of a tree. */
    private static void change(JsonNode root, Random random) {
        List<JsonNode> containers = new ArrayList<>();
        collect(root, containers);
        JsonNode container = containers.get(random.nextInt(containers.size()));
        if (container instanceof ObjectNode object && !object.isEmpty()) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            String name = names.get(random.nextInt(names.size()));
            if (random.nextInt(4) == 0) {
                object.remove(name);
            } else {
                object.set(name, odd(random));
            }
        } else if (container instanceof ArrayNode list && !list.isEmpty()) {
            int index = random.nextInt(list.size());
            if (random.nextBoolean()) {
                list.add(list.get(index).deepCopy());
            } else {
                list.set(index, odd(random));
            }
        }
    }

    private static void collect(JsonNode node, List<JsonNode> containers) {
        if (node.isContainerNode()) {
            containers.add(node);
            node.forEach(child -> collect(child, containers));
        }
    }

    private static JsonNode odd(Random random) {
        String[] values = {
            "null",
            "\"\"",
            "\"x\"",
            "\"/\"",
            "\"a/b/c\"",
            "\"10.0.0.1\"",
            "\"::\"",
            "\"eA==\"",
            "\"1Gi\"",
            "\"-1\"",
            "0",
            "-1",
            "1",
            "2147483647",
            "-9223372036854775808",
            "1.5",
            "true",
            "false",
            "[]",
            "{}",
            "[null]",
            "[{}]",
            "[\"\"]",
            "[[]]",
            "{\"\":\"\"}",
            "{\"a\":{}}",
            "{\"a\":null}",
            "\"\\u0000\"",
            "\"é\"",
            "\"1e400\"",
            "\"https://[\"",
            "\".\"",
            "\"..\"",
            "\"%\"",
            "\"999999999999999999999999\""
        };
        return Json.parse(values[random.nextInt(values.length)]);
    }
}
