package lavaflow.remote;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConnectionTest {
    private static ApiException refusal(int code, String body) {
        return Connection.refusal(code, body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aStatusIsHandedOnWhole() {
        ApiException status = ApiException.alreadyExists("apps", "deployments", "web");

        assertThat(refusal(409, Json.string(status.status())).status()).isEqualTo(status.status());
    }

    @Test
    void aStatusWithoutACodeGetsTheOneOfTheAnswer() {
        ApiException refusal = refusal(422, "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"no\"}");

        assertThat(refusal.code()).isEqualTo(422);
        assertThat(refusal.reason()).isEqualTo("Invalid");
    }

    @Test
    void plainTextBecomesAMessage() {
        ApiException refusal = refusal(404, "404 page not found\n");

        assertThat(refusal.code()).isEqualTo(404);
        assertThat(refusal.reason()).isEqualTo("NotFound");
        assertThat(refusal).hasMessage("404 page not found");
    }

    @Test
    void anEmptyAnswerIsNamedByItsCode() {
        assertThat(refusal(502, "")).hasMessage("the server answered 502");
    }

    @Test
    void aKubeconfigThatIsNotThereIsNamed(@TempDir Path directory) {
        Path file = directory.resolve("nope");

        assertThatThrownBy(() -> new Connection(Settings.of(file, "test/0")))
                .hasMessage("cannot read the kubeconfig " + file);
    }
}
