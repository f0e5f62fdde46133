package lavaflow.kube;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class VersionTest {
    @Test
    void versionsSortByStabilityThenNumber() {
        List<String> versions = new ArrayList<>(List.of(
                "foo1",
                "v1alpha1",
                "v11alpha2",
                "v1beta1",
                "v10",
                "foo10",
                "v2",
                "v1beta2",
                "v1",
                "v3beta1",
                "v1beta"));
        versions.sort(Version.BY_PRIORITY);
        assertThat(versions)
                .containsExactly(
                        "v10",
                        "v2",
                        "v1",
                        "v3beta1",
                        "v1beta2",
                        "v1beta1",
                        "v11alpha2",
                        "v1alpha1",
                        "foo1",
                        "foo10",
                        "v1beta");
    }

    @Test
    void groupVersionsAreReadAndPrinted() {
        assertThat(GroupVersion.parse("apps/v1"))
                .isEqualTo(new GroupVersion("apps", "v1"))
                .hasToString("apps/v1");
        assertThat(GroupVersion.parse("v1"))
                .isEqualTo(new GroupVersion("", "v1"))
                .hasToString("v1");
        assertThat(GroupVersion.parse("")).isEqualTo(new GroupVersion("", ""));
        assertThatThrownBy(() -> GroupVersion.parse("a/b/c")).hasMessage("unexpected GroupVersion string: a/b/c");
    }

    @Test
    void kindsAreReadAndPrinted() {
        assertThat(GroupVersionKind.of("apps/v1", "Deployment")).hasToString("apps/v1, Kind=Deployment");
        assertThat(GroupVersionKind.of(Json.parse("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}")))
                .hasToString("/v1, Kind=Pod")
                .returns("v1", GroupVersionKind::apiVersion);
        assertThat(GroupVersionKind.of("a/b/c", "X")).isEqualTo(new GroupVersionKind("", "", "X"));
    }

    @Test
    void generatedNamesKeepTheirLength() {
        assertThat(GeneratedName.from("web-", bound -> 0)).isEqualTo("web-bbbbb");
        assertThat(GeneratedName.from("web-", bound -> bound - 1)).isEqualTo("web-99999");
        assertThat(GeneratedName.from("x".repeat(70), bound -> 1)).isEqualTo("x".repeat(58) + "ccccc");
    }
}
