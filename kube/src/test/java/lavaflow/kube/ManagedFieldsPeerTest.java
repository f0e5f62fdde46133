package lavaflow.kube;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Replays writes that kube-apiserver 1.36.3 has answered, and compares its answers with ours.
 *
 * <p>Each line of a recording is one write: the live object, the object after decoding or the applied configuration,
 * and the answer. Upstream's 500 for configurations that do not fit the schema is our 400.
 */
class ManagedFieldsPeerTest {
    @TestFactory
    Stream<DynamicTest> recordings() {
        return Stream.of("configmap", "kinds", "lists", "random").flatMap(this::recording);
    }

    private Stream<DynamicTest> recording(String name) {
        List<DynamicTest> tests = new ArrayList<>();
        String text = resource("managed-fields/" + name + ".jsonl");
        int line = 0;
        for (String each : text.lines().toList()) {
            line++;
            ObjectNode write = (ObjectNode) Json.parse(each);
            String title = name + " " + line + ": " + Json.textAt(write, "name");
            tests.add(DynamicTest.dynamicTest(title, () -> replay(write)));
        }
        return tests.stream();
    }

    private static String resource(String name) {
        try (InputStream in = ManagedFieldsPeerTest.class.getResourceAsStream(name)) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void replay(ObjectNode write) {
        ManagedFields managed = new ManagedFields(endpoint(write));
        ObjectNode live = (ObjectNode) write.get("live");
        ObjectNode before = live == null ? null : live.deepCopy();
        String manager = Json.textAt(write, "manager");
        String now = Json.textAt(write, "now");
        if ("update".equals(Json.textAt(write, "op"))) {
            check(write, live, managed.update(live, (ObjectNode) write.get("object"), manager, now));
        } else {
            ObjectNode config = (ObjectNode) write.get("config");
            boolean force = Json.flagAt(write, "force");
            if (write.has("error")) {
                checkFailure(
                        write.get("error"),
                        catchThrowableOfType(
                                ApiException.class, () -> managed.apply(live, config, manager, force, now)));
            } else {
                check(write, live, managed.apply(live, config, manager, force, now));
            }
        }
        assertThat(live).isEqualTo(before);
    }

    private static ManagedFields.Endpoint endpoint(ObjectNode write) {
        List<String> reset = new ArrayList<>();
        write.get("reset").forEach(path -> reset.add(path.textValue()));
        FieldSet fields = FieldSet.ofFields(reset.toArray(String[]::new));
        return new ManagedFields.Endpoint(
                isCustom(write) ? TestingTypes.THINGS : BuiltinTypes.instance(),
                Json.textAt(write, "struct"),
                Json.textAt(write, "apiVersion"),
                Json.textAt(write, "kind"),
                Json.textAt(write, "subresource"),
                FieldFilter.excluding(fields),
                null);
    }

    private static void check(ObjectNode write, ObjectNode live, ObjectNode actual) {
        ObjectNode expected = (ObjectNode) write.get("expected");
        decode(actual);
        if (live != null) {
            ManagedFields.keepTimes(live, withVersionOf(live, actual));
        }
        ArrayNode owners = Json.listAt(actual, "metadata", "managedFields");
        ArrayNode expectedOwners = Json.listAt(expected, "metadata", "managedFields");
        assertThat(lines(owners, write)).isEqualTo(lines(expectedOwners, write));
        for (String part : List.of("data", "spec", "rules", "endpoints", "subjects")) {
            if (write.has("config") && Json.textAt(write, "subresource").isEmpty()) {
                assertThat(isWithin(actual.path(part), expected.path(part)))
                        .as("%s is part of %s", actual.path(part), expected.path(part))
                        .isTrue();
            }
        }
        for (String part : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
            assertThat(nonEmpty(actual.path("metadata").path(part)))
                    .isEqualTo(expected.path("metadata").path(part));
        }
    }

    /** Whether defaults are all that is missing. */
    private static boolean isWithin(JsonNode part, JsonNode whole) {
        if (part.isObject() && (whole.isObject() || whole.isMissingNode())) {
            return part.properties().stream().allMatch(field -> isWithin(field.getValue(), whole.path(field.getKey())));
        }
        if (part.isArray() && whole.size() == part.size()) {
            return IntStream.range(0, part.size()).allMatch(i -> isWithin(part.get(i), whole.get(i)));
        }
        return part.equals(whole) || part.isMissingNode() || (whole.isMissingNode() && isZero(part));
    }

    private static boolean isZero(JsonNode value) {
        return value.isContainerNode()
                ? value.isEmpty()
                : value.asText().isEmpty() || value.asText().equals("0");
    }

    private static ObjectNode withVersionOf(ObjectNode live, ObjectNode actual) {
        for (String name : List.of("uid", "resourceVersion", "creationTimestamp", "namespace", "generation")) {
            JsonNode value = live.get("metadata").get(name);
            if (value != null) {
                Json.ensureObject(actual, "metadata").set(name, value);
            }
        }
        return actual;
    }

    private static JsonNode nonEmpty(JsonNode node) {
        return node.isContainerNode() && node.isEmpty() ? MissingNode.getInstance() : node;
    }

    private static String lines(ArrayNode entries, ObjectNode write) {
        StringBuilder lines = new StringBuilder();
        entries.forEach(entry -> lines.append(isCustom(write) ? GoText.value(entry) : Json.string(entry))
                .append('\n'));
        return lines.toString();
    }

    /** Upstream keeps custom resources as maps, which it shows with all keys sorted. */
    private static boolean isCustom(ObjectNode write) {
        return "Thing".equals(Json.textAt(write, "kind"));
    }

    /** Does to nulls what the decoder does: in a map of strings they are empty strings, elsewhere nothing. */
    private static void decode(ObjectNode object) {
        for (JsonNode map :
                List.of(object.at("/metadata/labels"), object.at("/metadata/annotations"), object.path("data"))) {
            for (var entry : map.properties()) {
                if (entry.getValue().isNull()) {
                    ((ObjectNode) map).put(entry.getKey(), "");
                }
            }
        }
        dropNulls(object);
    }

    private static void dropNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
        }
        node.forEach(ManagedFieldsPeerTest::dropNulls);
    }

    /** Upstream reports several problems in any order. */
    private static List<String> sorted(String message) {
        return message.lines().sorted().toList();
    }

    private static void checkFailure(JsonNode expected, ApiException actual) {
        assertThat(actual).isNotNull();
        int code = expected.get("code").intValue();
        assertThat(sorted(actual.getMessage()))
                .isEqualTo(sorted(expected.get("message").textValue()));
        assertThat(actual.code()).isEqualTo(code == 500 ? 400 : code);
        List<String> causes = new ArrayList<>();
        expected.get("causes").forEach(cause -> causes.add(Json.string(cause)));
        List<String> actualCauses = new ArrayList<>();
        Json.listAt(actual.status(), "details", "causes").forEach(cause -> actualCauses.add(Json.string(cause)));
        assertThat(actualCauses).containsExactlyInAnyOrderElementsOf(causes);
    }
}
