package lavaflow.training;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SettingsTest {
    @Test
    void aClusterOfOurOwnNeedsNoRegistryToWaitForMasters() throws DecodingException {
        Settings settings = Settings.USUAL.onThisMachine();
        assertThat(settings.gang()).isEqualTo(Settings.USUAL.gang());
        String filled = Objects.requireNonNull(settings.initTemplate())
                .replace("{{.InitContainerImage}}", settings.initImage())
                .replace("{{.MaxTries}}", "7")
                .replace("{{.MasterAddr}}", "digits-master-0");
        JsonNode container =
                Yaml.parse(filled.getBytes(StandardCharsets.UTF_8)).root().path(0);
        assertThat(Json.textAt(container, "image")).isEqualTo("host");
        assertThat(container.path("command").path(2).asText())
                .isEqualTo(
                        "for i in $(seq 7); do getent hosts digits-master-0 >/dev/null && exit 0; echo waiting for master; sleep 2;"
                                + " done; exit 1");
    }
}
