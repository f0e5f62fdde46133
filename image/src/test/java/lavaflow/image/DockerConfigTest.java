package lavaflow.image;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DockerConfigTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void bothFormsAreRead() {
        assertThat(DockerConfig.parse(bytes("""
                        {"auths": {"https://index.docker.io/v1/": {"auth": "dXNlcjpwYTpzcw=="},
                                   "gcr.io": {"username": "a", "password": "b", "identitytoken": "c"}}}""")))
                .containsExactly(
                        new Credential("docker.io", "user", "pa:ss", ""), new Credential("gcr.io", "a", "b", "c"));
        assertThat(DockerConfig.parseLegacy(bytes("{\"gcr.io\": {\"username\": \"a\", \"password\": \"b\"}}")))
                .containsExactly(new Credential("gcr.io", "a", "b", ""));
    }

    @Test
    void mistakesDoNotShowTheSecret() {
        assertThatThrownBy(() -> DockerConfig.parse(bytes("{\"auths\": hunter2")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> DockerConfig.parse(bytes("{\"auths\": {\"a\": {\"auth\": \"aHVudGVyMg==\"}}}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hunter2");
        assertThat(new Credential("a", "b", "hunter2", "hunter2").toString()).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "docker.io, busybox, true",
        "https://index.docker.io/v1/, busybox, true",
        "gcr.io, gcr.io/a/b, true",
        "gcr.io/a, gcr.io/a/b, true",
        "gcr.io/a, gcr.io/ab, false",
        "*.gcr.io, eu.gcr.io/a, true",
        "*.gcr.io, a.eu.gcr.io/a, false",
        "*.io, gcr.io.evil.com/a, false",
        "gcr.io, evil.com/gcr.io, false",
        "localhost:5000, localhost:5000/a, true",
        "localhost, localhost:5000/a, false",
    })
    void secretsAreForTheRegistriesTheyName(String prefix, String image, boolean matches) throws ImageException {
        Credential credential = new Credential(prefix, "u", "p", "");
        assertThat(DockerConfig.matching(List.of(credential), Reference.parse(image)))
                .hasSize(matches ? 1 : 0);
    }

    @Test
    void challengesAreRead() {
        assertThat(Challenge.parse("Bearer realm=\"https://a/t?x=1,2\",service=\"s\",scope=\"a b\", Basic realm=r"))
                .containsExactly(
                        new Challenge(
                                "bearer",
                                java.util.Map.of("realm", "https://a/t?x=1,2", "service", "s", "scope", "a b")),
                        new Challenge("basic", java.util.Map.of("realm", "r")));
        assertThat(Challenge.parse("")).isEmpty();
        assertThat(Challenge.parse("=,=\",\\")).isNotNull();
        assertThat(Challenge.parse("Negotiate")).hasSize(1);
    }

    @Test
    void proxiesComeFromTheEnvironment() {
        var proxies = EnvironmentProxies.of(
                java.util.Map.of("HTTPS_PROXY", "http://proxy.example:3128", "no_proxy", "inside.example,.other"));
        assertThat(proxies.select(java.net.URI.create("https://gcr.io/"))
                        .getFirst()
                        .toString())
                .contains("proxy.example");
        for (String direct :
                List.of("https://a.inside.example/", "https://x.other/", "https://127.0.0.1:5000/", "http://gcr.io/")) {
            assertThat(proxies.select(java.net.URI.create(direct))).containsExactly(java.net.Proxy.NO_PROXY);
        }
    }
}
