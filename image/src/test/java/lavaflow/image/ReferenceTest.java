package lavaflow.image;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReferenceTest {
    private static final String SHA = "sha256:" + "ab".repeat(32);

    @ParameterizedTest
    @CsvSource({
        "busybox, docker.io/library/busybox:latest",
        "busybox:1.36, docker.io/library/busybox:1.36",
        "index.docker.io/busybox, docker.io/library/busybox:latest",
        "docker.io/busybox, docker.io/library/busybox:latest",
        "kubeflow/mnist:v1, docker.io/kubeflow/mnist:v1",
        "localhost/x, localhost/x:latest",
        "localhost:5000/x:y, localhost:5000/x:y",
        "gcr.io/a/b/c, gcr.io/a/b/c:latest",
        "127.0.0.1:5000/a__b/c--d.e, 127.0.0.1:5000/a__b/c--d.e:latest",
        "[::1]:5000/a, [::1]:5000/a:latest",
        "HOST/a, HOST/a:latest",
    })
    void namesAreCompleted(String written, String full) throws ImageException {
        assertThat(Reference.parse(written)).hasToString(full);
    }

    @Test
    void aDigestNeedsNoTag() throws ImageException {
        assertThat(Reference.parse("busybox@" + SHA)).hasToString("docker.io/library/busybox@" + SHA);
        Reference both = Reference.parse("busybox:1@" + SHA);
        assertThat(both).hasToString("docker.io/library/busybox:1@" + SHA);
        assertThat(both.wanted()).isEqualTo(SHA);
    }

    @Test
    void wrongNamesAreToldAsKubeletTellsThem() {
        assertInvalid("busybox:a b", "invalid reference format");
        assertInvalid("UPPER", "invalid reference format: repository name (library/UPPER) must be lowercase");
        assertInvalid("a/UPPER:x", "invalid reference format: repository name (a/UPPER) must be lowercase");
        assertInvalid(
                "ab".repeat(32),
                "invalid repository name (" + "ab".repeat(32) + "), cannot specify 64-byte hexadecimal strings");
        assertInvalid("a".repeat(300), "repository name must not be more than 255 characters");
        assertInvalid("busybox@sha256:" + "a".repeat(40), "invalid checksum digest length");
        assertInvalid("busybox@md5:" + "a".repeat(32), "unsupported digest algorithm");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "/", "a//b", "-a", "a:", "a:-", "a@", "a@b", "a/../b", "..", "a/b/", "a b", "a\nb", "a?b",
                "gcr.io/", ":5000/a", "a.-b/c", "a:b:c"
            })
    void whatIsNoNameIsRefused(String text) {
        assertThatThrownBy(() -> Reference.parse(text))
                .isInstanceOfSatisfying(
                        ImageException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ImageException.Kind.INVALID_NAME))
                .hasMessageContaining("couldn't parse image name");
    }

    @Test
    void longNonsenseIsRefusedAtOnce() {
        assertThatThrownBy(() -> Reference.parse("a".repeat(100_000))).isInstanceOf(ImageException.class);
        assertThatThrownBy(() -> Reference.parse("a-".repeat(1_000))).isInstanceOf(ImageException.class);
    }

    private static void assertInvalid(String text, String why) {
        assertThatThrownBy(() -> Reference.parse(text))
                .hasMessage("couldn't parse image name \"" + text + "\": " + why);
    }
}
