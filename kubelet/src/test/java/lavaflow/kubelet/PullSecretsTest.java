package lavaflow.kubelet;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

import lavaflow.image.Credential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PullSecretsTest {
    private static final Environment.Objects OBJECTS = new Environment.Objects() {
        @Override
        public Optional<ObjectNode> configMap(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<ObjectNode> secret(String namespace, String name) {
            String config = "{\"auths\": {\"registry.example\": {\"username\": \"u\", \"password\": \"p\"}}}";
            String data = Base64.getEncoder().encodeToString(config.getBytes(StandardCharsets.UTF_8));
            return name.equals("good")
                    ? Optional.of(TestingPod.yaml(
                            "{metadata: {namespace: ns, name: good, uid: uid-7}, data: {.dockerconfigjson: " + data
                                    + "}}"))
                    : Optional.empty();
        }
    };

    private static PullSecrets.Found found(String names) {
        return PullSecrets.of(
                TestingPod.of("{imagePullSecrets: " + names + ", containers: [{name: a, image: i}]}")
                        .view(),
                OBJECTS);
    }

    @Test
    void secretsThatAreNotThereAreTold() {
        PullSecrets.Found found = found("[{name: good}, {name: gone}, {name: ''}, {name: lost}]");

        assertThat(found.credentials())
                .containsExactly(new Credential("registry.example", "u", "p", "", "ns/good/uid-7"));
        assertThat(found.complaint())
                .isEqualTo("Unable to retrieve some image pull secrets (gone, lost); attempting to pull the image may"
                        + " not succeed.");
        assertThat(found("[{name: good}]").complaint()).isEmpty();
    }
}
