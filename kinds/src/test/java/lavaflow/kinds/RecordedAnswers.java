package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.KindTable;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Plays the answers of a real kube-apiserver, written down by {@code src/test/record/record}, against the rules. */
final class RecordedAnswers {
    private static final Pattern LONG_TEXT = Pattern.compile("@(\\d+)");

    private RecordedAnswers() {}

    static Stream<DynamicTest> replay(String file, String resource) {
        try (InputStream in = Objects.requireNonNull(RecordedAnswers.class.getResourceAsStream(file))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            KindRules rules = Sample.rules(resource);
            String struct = struct(resource);
            return text
                    .lines()
                    .map(line -> (ObjectNode) Json.parse(line))
                    .map(line -> DynamicTest.dynamicTest(Json.textAt(line, "name"), () -> replay(rules, struct, line)))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void replay(KindRules rules, String struct, ObjectNode line) throws DecodingException {
        ObjectNode object = decoded(
                struct,
                LONG_TEXT
                        .matcher(Json.string(line.get("object")))
                        .replaceAll(match -> "x".repeat(Integer.parseInt(match.group(1)))));
        ObjectNode old = line.get("old") instanceof ObjectNode before ? decoded(struct, Json.string(before)) : null;
        VersionBridge bridge = bridge(object, line);
        if (bridge != null) {
            object = bridge.toStored(object);
            old = old == null ? null : bridge.toStored(old);
        }
        String subresource = Json.textAt(line, "subresource");
        FieldErrors errors = new FieldErrors();
        rules.applyDefaults(object);
        if (rules instanceof ServiceRules && subresource.isEmpty()) {
            allocate(object, old, errors);
        }
        boolean status = subresource.equals("status");
        if (old == null) {
            // The generic pipeline checks names before the rules check the rest.
            String name = Json.textAt(object, "metadata", "name");
            for (String wrong : rules.nameErrors(name, false)) {
                errors.invalid(FieldPath.of("metadata", "name"), name, wrong);
            }
        }
        boolean named = errors.isEmpty() || rules instanceof CustomResourceDefinitionRules;
        if (named) {
            write(rules, subresource, object, old, errors);
        }
        List<String> found = errors.list().stream()
                .map(error -> error.reason().wireName() + " " + error.field() + " " + error.detail())
                .toList();
        List<String> expected = new ArrayList<>();
        for (JsonNode error : Json.listAt(line, "errors")) {
            expected.add(error.get(0).asText() + " " + error.get(1).asText() + " "
                    + error.get(2).asText());
        }
        if (Json.flagAt(line, "anyOrder")) {
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        } else {
            assertThat(found).isEqualTo(expected);
        }
        if (line.get("result") instanceof ObjectNode result) {
            ObjectNode answered = bridge == null ? object : bridge.fromStored(object);
            assertThat(bare(decoded(struct, Json.string(answered)))).isEqualTo(bare(result));
            List<String> warnings = new ArrayList<>(status ? List.of() : rules.warnings(object, old));
            String deprecation = rules.deprecation();
            if (deprecation != null) {
                warnings.addFirst(deprecation);
            }
            if (!status) {
                assertThat(warnings).isEqualTo(Nodes.strings(line, "warnings"));
            }
        }
    }

    private static @org.jspecify.annotations.Nullable VersionBridge bridge(ObjectNode object, ObjectNode line) {
        Json.ensureObject(object, "metadata").put("namespace", "platform-try");
        boolean regarding = Nodes.has(object, "regarding") || Nodes.has(line, "result", "regarding");
        return regarding || Nodes.has(line, "bridged") ? new EventBridge() : null;
    }

    private static String struct(String resource) {
        int slash = resource.indexOf('/');
        KindInfo kind = Objects.requireNonNull(
                KindTable.builtin().resource(resource.substring(0, slash), "v1", resource.substring(slash + 1)));
        return kind.struct();
    }

    private static ObjectNode decoded(String struct, String json) throws DecodingException {
        return TypedDecoder.decode(BuiltinTypes.instance(), struct, Json.parse(json))
                .object();
    }

    private static void write(
            KindRules rules,
            String subresource,
            ObjectNode object,
            @org.jspecify.annotations.Nullable ObjectNode old,
            FieldErrors errors) {
        if (old == null) {
            rules.prepareForCreate(object);
            rules.stamp(object, null, "1970-01-01T00:00:00Z");
            rules.validateCreate(object, errors);
        } else if (subresource.equals("status")) {
            rules.prepareForStatusUpdate(object, old);
            rules.stamp(object, old, "1970-01-01T00:00:00Z");
            rules.validateStatusUpdate(object, old, errors);
        } else if (!subresource.isEmpty()) {
            rules.prepareForSubresourceUpdate(subresource, object, old);
            rules.stamp(object, old, "1970-01-01T00:00:00Z");
            rules.validateSubresourceUpdate(subresource, object, old, errors);
        } else {
            rules.prepareForUpdate(object, old);
            rules.stamp(object, old, "1970-01-01T00:00:00Z");
            rules.validateUpdate(object, old, errors);
        }
    }

    /** A pool that has every address of 10.96.0.0/16 and every port, each once. */
    private static void allocate(
            ObjectNode object, @org.jspecify.annotations.Nullable ObjectNode old, FieldErrors errors) {
        ServiceAddresses.Plan plan = ServiceAddresses.plan(old, object, List.of("IPv4"), errors);
        List<Long> taken = new ArrayList<>();
        long nextPort = 40_000;
        for (ServiceAddresses.Claim claim : plan.claims()) {
            switch (claim) {
                case ServiceAddresses.Claim.ClusterIp ip -> {
                    String wanted = ip.wanted();
                    if (wanted != null && !wanted.startsWith("10.96.")) {
                        ServiceAddresses.refuse(
                                object,
                                ip,
                                "the provided IP (" + wanted
                                        + ") is not in the valid range. The range of valid IPs is 10.96.0.0/16",
                                errors);
                        return;
                    }
                    ServiceAddresses.assign(object, ip, wanted == null ? "10.96.1.1" : wanted);
                }
                case ServiceAddresses.Claim.NodePort port -> {
                    long number = port.wanted() == 0 ? nextPort++ : port.wanted();
                    if (taken.contains(number)) {
                        ServiceAddresses.refuse(object, port, "provided port is already allocated", errors);
                        return;
                    }
                    taken.add(number);
                    ServiceAddresses.assign(object, port, number);
                }
                case ServiceAddresses.Claim.HealthCheckPort port ->
                    ServiceAddresses.assign(object, port, port.wanted() == 0 ? nextPort++ : port.wanted());
            }
        }
    }

    /** What the rules are about: without metadata but labels, without allocated numbers. */
    private static JsonNode bare(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        JsonNode labels = Json.at(object, "metadata", "labels");
        copy.remove(List.of("metadata", "kind", "apiVersion"));
        if (labels != null) {
            copy.set("labels", labels);
        }
        if (copy.get("spec") instanceof ObjectNode request && request.has("signerName")) {
            request.remove(List.of("username", "groups", "extra"));
        }
        if (copy.get("spec") instanceof ObjectNode spec && spec.has("sessionAffinity")) {
            hideAllocated(spec);
        }
        return copy;
    }

    private static void hideAllocated(ObjectNode spec) {
        if (!Json.textAt(spec, "clusterIP").equals("None")
                && !Json.textAt(spec, "clusterIP").isEmpty()) {
            spec.put("clusterIP", "an address");
            spec.putArray("clusterIPs").add("an address");
        }
        for (ObjectNode port : Nodes.objects(spec, "ports")) {
            if (Json.longAt(port, 0, "nodePort") != 0) {
                port.put("nodePort", 1);
            }
        }
        if (Json.longAt(spec, 0, "healthCheckNodePort") != 0) {
            spec.put("healthCheckNodePort", 1);
        }
    }
}
