package lavaflow.admission;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Patches that webhooks and policies send, and why they do not apply. As kube-apiserver 1.36.3. */
class ForeignPatchTest {
    private static final ObjectNode DOCUMENT = document();

    private static ObjectNode document() {
        ObjectNode document = Json.object();
        document.putObject("metadata").put("name", "a");
        return document;
    }

    private static JsonNode patch(String op, String from, String path) {
        ObjectNode operation = Json.object().put("op", op).put("path", path).put("value", "1");
        if (!from.isEmpty()) {
            operation.put("from", from);
        }
        return Json.array().add(operation);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            move    | /nope/x        | /y      | move operation does not apply: doc is missing from path: /nope/x: missing value
            move    | /metadata/x    | /y      | error in move for path: 'x': Unable to remove nonexistent key: x: missing value
            move    | /metadata/name | /nope/y | move operation does not apply: doc is missing destination path: /nope/y: missing value
            copy    | /nope/x        | /y      | copy operation does not apply: doc is missing from path: /nope/x: missing value
            copy    | /metadata/name | /nope/y | copy operation does not apply: doc is missing destination path: /nope/y: missing value
            replace | ``             | /nope/y | replace operation does not apply: doc is missing path: /nope/y: missing value
            test    | ``             | /nope/y | test operation does not apply: is missing path: /nope/y: missing value
            test    | ``             | /nope   | testing value /nope failed: test failed
            """)
    void tellsWhyItDoesNotApply(String op, String from, String path, String why) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> ForeignPatch.apply(patch(op, from, path), DOCUMENT))
                .satisfies(e -> assertThat(Json.textAt(e.status(), "message")).endsWith(why));
    }

    @Test
    void aTestThatFailsIsToldFromOneThatCannotBeMade() {
        assertThat(ForeignPatch.failsTest(patch("test", "", "/metadata/name"), DOCUMENT))
                .isTrue();
        assertThat(ForeignPatch.failsTest(patch("test", "", "/nope"), DOCUMENT)).isTrue();
        assertThat(ForeignPatch.failsTest(patch("test", "", "/nope/y"), DOCUMENT))
                .isFalse();
        assertThat(ForeignPatch.failsTest(patch("remove", "", "/nope"), DOCUMENT))
                .isFalse();
        assertThat(ForeignPatch.failsTest(patch("add", "", "/data"), DOCUMENT)).isFalse();
    }
}
