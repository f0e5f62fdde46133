package lavaflow.kube;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Replays strategic merge patches of deployments that kube-apiserver 1.36.3 has answered. */
class StrategicMergePatchPeerTest {
    static Stream<String> recordings() throws IOException {
        try (InputStream in = StrategicMergePatchPeerTest.class.getResourceAsStream("strategic-merge.jsonl")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList().stream();
        }
    }

    @ParameterizedTest(name = "[{index}]")
    @MethodSource("recordings")
    void givesWhatUpstreamGives(String recording) {
        JsonNode write = Json.parse(recording);
        ObjectNode live = (ObjectNode) write.get("live");
        ObjectNode patch = (ObjectNode) write.get("patch");
        String actual;
        try {
            actual = shown(
                    StrategicMergePatch.apply(BuiltinTypes.instance(), "io.k8s.api.apps.v1.Deployment", live, patch));
        } catch (ApiException e) {
            // A patch with several faults is refused for any of them: upstream walks maps in random order.
            assertThat(write.has("message")).as(e.getMessage()).isTrue();
            return;
        }
        assertThat(write.path("message").isMissingNode())
                .as(write.path("message").asText())
                .isTrue();
        assertThat(actual).isEqualTo(shown(write.get("result")));
    }

    /** What patches change and defaults do not. */
    private static String shown(JsonNode object) {
        StringBuilder text = new StringBuilder();
        JsonNode finalizers = object.has("finalizers") ? object.get("finalizers") : object.at("/metadata/finalizers");
        text.append(finalizers.isEmpty() ? "[]" : finalizers).append('\n');
        JsonNode pod = object.at("/spec/template/spec");
        for (JsonNode container : pod.path("containers")) {
            text.append(container.path("name")).append(container.path("image"));
            container.path("env").forEach(env -> text.append(env.path("name")).append(env.path("value")));
            container.path("ports").forEach(port -> text.append(port.path("containerPort")));
            for (String part : List.of("args")) {
                text.append(container.path(part).isEmpty() ? "" : container.path(part));
            }
            JsonNode cpu = container.at("/resources/limits/cpu");
            text.append(cpu.isNull() ? "\"0\"" : cpu).append('\n');
        }
        for (JsonNode volume : pod.path("volumes")) {
            text.append(volume.path("name"))
                    .append(volume.has("emptyDir"))
                    .append(volume.has("configMap"))
                    .append('\n');
        }
        text.append(pod.path("nodeSelector").isEmpty() ? "" : pod.path("nodeSelector"));
        return text.append(pod.path("tolerations").isEmpty() ? "" : pod.path("tolerations"))
                .toString();
    }
}
