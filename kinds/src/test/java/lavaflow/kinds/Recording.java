package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.KindTable;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a real kube-apiserver answered, written down by {@code src/test/record/record}; the rules must answer the same.
 *
 * @param name what the case is about
 * @param line the whole recorded line
 */
record Recording(String name, JsonNode line) {
    /** Stands for the moment of the request: upstream's clock is replaced by the object's creation. */
    static final String NOW = "1970-01-01T00:00:00Z";

    static Stream<Recording> read(String file) {
        try (InputStream in = Recording.class.getResourceAsStream(file)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<Recording> all = text.lines()
                    .map(Json::parse)
                    .map(line -> new Recording(Json.textAt(line, "name"), line))
                    .toList();
            return all.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One test a case: create where nothing was there before, else an update of the object or its status. */
    static Stream<DynamicTest> replay(String file, KindRules rules) {
        return read(file).map(recording -> DynamicTest.dynamicTest(recording.name, () -> recording.replay(rules)));
    }

    void replay(KindRules rules) {
        ObjectNode object = decoded(object());
        ObjectNode old = line.has("old") ? decoded(old()) : null;
        FieldErrors errors = new FieldErrors();
        List<String> warnings;
        rules.applyDefaults(object);
        if (old == null) {
            Json.ensureObject(object, "metadata").put("creationTimestamp", NOW);
            rules.prepareForCreate(object);
            rules.validateCreate(object, errors);
            warnings = rules.warnings(object, null);
        } else if (subresource().equals("status")) {
            rules.prepareForStatusUpdate(object, old);
            rules.validateStatusUpdate(object, old, errors);
            warnings = List.of();
        } else if (!subresource().isEmpty()) {
            rules.prepareForSubresourceUpdate(subresource(), object, old);
            rules.validateSubresourceUpdate(subresource(), object, old, errors);
            warnings = List.of();
        } else {
            rules.prepareForUpdate(object, old);
            rules.validateUpdate(object, old, errors);
            warnings = rules.warnings(object, old);
        }
        check(object, errors, warnings);
        if (old != null) {
            assertThat(old).as("the old object is left alone").isEqualTo(decoded(old()));
        }
    }

    ObjectNode object() {
        return ((ObjectNode) line.get("object")).deepCopy();
    }

    ObjectNode old() {
        return ((ObjectNode) line.get("old")).deepCopy();
    }

    /** As the pipeline hands objects to the rules. */
    static ObjectNode decoded(JsonNode object) {
        String version = Json.textAt(object, "apiVersion");
        int slash = version.indexOf('/');
        String struct = KindTable.builtin()
                .struct(
                        slash < 0 ? "" : version.substring(0, slash),
                        version.substring(slash + 1),
                        Json.textAt(object, "kind"));
        try {
            return TypedDecoder.decode(BuiltinTypes.instance(), struct, object).object();
        } catch (DecodingException e) {
            throw new AssertionError(e);
        }
    }

    String subresource() {
        return Json.textAt(line, "subresource");
    }

    /** Compares errors with reasons, fields and messages in order, or else everything but metadata of the result. */
    void check(ObjectNode object, FieldErrors errors, List<String> warnings) {
        List<String> found = errors.list().stream()
                .map(error -> error.reason().wireName() + " " + error.field() + " " + error.detail())
                .toList();
        List<String> expected = Nodes.objects(line, "errors").isEmpty()
                ? List.of()
                : Json.listAt(line, "errors")
                        .valueStream()
                        .map(error -> error.get(0).asText() + " " + error.get(1).asText() + " "
                                + error.get(2).asText())
                        .toList();
        if (Json.flagAt(line, "anyOrder")) {
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        } else {
            assertThat(found).isEqualTo(expected);
        }
        if (line.has("result")) {
            for (String part : List.of("spec", "status", "template")) {
                assertThat(object.get(part))
                        .as(part)
                        .isEqualTo(line.get("result").get(part));
            }
            // Warnings are only given for what is accepted.
            assertThat(warnings).isEqualTo(Nodes.strings(line, "warnings"));
        }
    }
}
