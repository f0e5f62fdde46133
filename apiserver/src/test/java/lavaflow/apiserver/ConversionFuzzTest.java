package lavaflow.apiserver;

import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Whatever a conversion webhook answers is either objects of the wanted version that are still the same objects, or a failure
 * that can be told.
 *
 * <p>Runs the kept inputs as a test; with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class ConversionFuzzTest {
    private static final ConversionAnswer ANSWER =
            new ConversionAnswer("conversion webhook for a.b/v1, Kind=C", "apiextensions.k8s.io/v1", "u", "a.b/v2");

    private static List<ObjectNode> originals() {
        return List.of(original("x"), original("y"));
    }

    private static ObjectNode original(String name) {
        return (ObjectNode) Json.parse("{\"apiVersion\":\"a.b/v1\",\"kind\":\"C\",\"metadata\":{\"name\":\"" + name
                + "\",\"namespace\":\"n\",\"uid\":\"1\",\"labels\":{\"a\":\"b\"},\"finalizers\":[\"f/f\"]}}");
    }

    @FuzzTest
    void answers(byte[] input) {
        List<ObjectNode> converted;
        try {
            if (!(Json.parseUntrusted(input) instanceof ObjectNode answer)) {
                return;
            }
            converted = ANSWER.converted(originals(), answer);
        } catch (JsonProcessingException | ApiException e) {
            return;
        }
        for (int i = 0; i < converted.size(); i++) {
            ObjectNode object = converted.get(i);
            ObjectNode metadata = Metadata.of(object).deepCopy();
            metadata.remove(List.of("labels", "annotations"));
            ObjectNode expected = Metadata.of(originals().get(i)).deepCopy();
            expected.remove(List.of("labels", "annotations"));
            if (!metadata.equals(expected) || !Json.textAt(object, "apiVersion").equals("a.b/v2")) {
                throw new AssertionError("converted into another object: " + object);
            }
        }
    }
}
