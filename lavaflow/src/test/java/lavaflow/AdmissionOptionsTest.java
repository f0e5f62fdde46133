package lavaflow;

import java.util.List;

import lavaflow.apiserver.AdmissionSwitches;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What {@code lava up} makes of the names of admission plugins. */
class AdmissionOptionsTest {
    private static AdmissionSwitches switches(String... words) {
        UpCommand up = new UpCommand();
        return AdmissionOptions.of(up, Arguments.parse(up, List.of(words)));
    }

    @Test
    void withoutOptionsThePluginsUpstreamTurnsOnAreOn() {
        AdmissionSwitches usual = switches();

        assertThat(usual.has("PodSecurity")).isTrue();
        assertThat(usual.has("ResourceQuota")).isTrue();
        assertThat(usual.has("OwnerReferencesPermissionEnforcement")).isFalse();
    }

    @Test
    void namesAreTurnedOnAndOff() {
        AdmissionSwitches some = switches(
                "--enable-admission-plugins",
                "OwnerReferencesPermissionEnforcement, PodSecurity",
                "--disable-admission-plugins=LimitRanger,Priority");

        assertThat(some.has("OwnerReferencesPermissionEnforcement")).isTrue();
        assertThat(some.has("PodSecurity")).isTrue();
        assertThat(some.has("LimitRanger")).isFalse();
        assertThat(some.has("Priority")).isFalse();
        assertThat(some.has("ServiceAccount")).isTrue();
    }

    @Test
    void aNameNobodyKnowsIsAnErrorThatSaysWhichThereAre() {
        assertThatThrownBy(() -> switches("--enable-admission-plugins=PodSecurityPolicy"))
                .hasMessageContaining("enable-admission-plugins plugin \"PodSecurityPolicy\" is unknown")
                .hasMessageContaining("known are NamespaceLifecycle, LimitRanger,")
                .hasMessageContaining("OwnerReferencesPermissionEnforcement");
        assertThatThrownBy(() -> switches("--disable-admission-plugins=X"))
                .hasMessageContaining("disable-admission-plugins plugin \"X\" is unknown");
    }

    @Test
    void onAndOffAtOnceIsAnError() {
        assertThatThrownBy(
                        () -> switches("--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"))
                .hasMessageContaining(
                        "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped");
    }
}
