package lavaflow.apiserver;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class VersionPreferenceTest {
    @Test
    void stableComesBeforeBetaBeforeAlphaBeforeOtherNames() {
        List<String> versions = List.of(
                "foo10",
                "v1alpha1",
                "v12alpha1",
                "v2",
                "v10",
                "v3beta1",
                "v1",
                "v11alpha2",
                "foo1",
                "v10beta3",
                "v11beta2");

        assertThat(versions.stream().sorted(VersionPreference.ORDER))
                .containsExactly(
                        "v10",
                        "v2",
                        "v1",
                        "v11beta2",
                        "v10beta3",
                        "v3beta1",
                        "v12alpha1",
                        "v11alpha2",
                        "v1alpha1",
                        "foo1",
                        "foo10");
    }
}
