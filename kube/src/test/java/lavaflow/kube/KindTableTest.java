package lavaflow.kube;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KindTableTest {
    private final KindTable kinds = KindTable.builtin();

    private KindInfo resource(String group, String version, String resource) {
        return Objects.requireNonNull(kinds.resource(group, version, resource));
    }

    @Test
    void podsAreDescribedAsDiscoveryShowsThem() {
        KindInfo pods = resource("", "v1", "pods");
        assertThat(pods.kind()).isEqualTo("Pod");
        assertThat(pods.listKind()).isEqualTo("PodList");
        assertThat(pods.singular()).isEqualTo("pod");
        assertThat(pods.namespaced()).isTrue();
        assertThat(pods.verbs())
                .containsExactly("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
        assertThat(pods.shortNames()).containsExactly("po");
        assertThat(pods.categories()).containsExactly("all");
        assertThat(pods.struct()).isEqualTo("io.k8s.api.core.v1.Pod");
        assertThat(pods.apiVersion()).isEqualTo("v1");
        assertThat(pods.subresources())
                .extracting(KindInfo.Subresource::name)
                .containsExactly(
                        "attach",
                        "binding",
                        "ephemeralcontainers",
                        "eviction",
                        "exec",
                        "log",
                        "portforward",
                        "proxy",
                        "resize",
                        "status");
    }

    @Test
    void scaleBelongsToAnotherGroupThanItsParent() {
        KindInfo.Subresource scale =
                Objects.requireNonNull(resource("apps", "v1", "deployments").subresource("scale"));
        assertThat(scale)
                .isEqualTo(new KindInfo.Subresource(
                        "scale",
                        "autoscaling",
                        "v1",
                        "Scale",
                        true,
                        List.of("get", "patch", "update"),
                        "io.k8s.api.autoscaling.v1.Scale"));
        assertThat(resource("apps", "v1", "deployments").subresource("rollback"))
                .isNull();
    }

    @Test
    void groupsComeByPriorityAndVersionsByPreference() {
        assertThat(kinds.versions())
                .extracting(version -> version.group() + "/" + version.version())
                .startsWith("/v1", "apiregistration.k8s.io/v1", "apps/v1", "events.k8s.io/v1")
                .containsSubsequence("autoscaling/v2", "autoscaling/v1")
                .hasSize(22);
    }

    @Test
    void onlyStableVersionsAreServed() {
        assertThat(kinds.versions()).allMatch(version -> version.version().matches("v\\d+"));
    }

    @Test
    void kindsAreFoundByName() {
        assertThat(Objects.requireNonNull(kinds.kind("batch", "v1", "CronJob")).resource())
                .isEqualTo("cronjobs");
        assertThat(kinds.kind("batch", "v1beta1", "CronJob")).isNull();
    }

    @Test
    void kindsWithoutResourceHaveStructsToo() {
        assertThat(kinds.struct("", "v1", "PodList")).isEqualTo("io.k8s.api.core.v1.PodList");
        assertThat(kinds.struct("policy", "v1", "Eviction")).isEqualTo("io.k8s.api.policy.v1.Eviction");
        assertThat(kinds.struct("admission.k8s.io", "v1", "AdmissionReview"))
                .isEqualTo("io.k8s.api.admission.v1.AdmissionReview");
        assertThat(kinds.struct("", "v1", "Status")).isEqualTo("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
        assertThat(kinds.struct("apps", "v1", "Nonsense")).isNull();
    }

    @Test
    void optionsMayComeUnderAnyGroup() {
        assertThat(kinds.struct("apps", "v1", "DeleteOptions"))
                .isEqualTo("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
        assertThat(kinds.struct("example.com", "v7", "DeleteOptions"))
                .isEqualTo("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
    }

    @Test
    void everyKindHasItsStruct() {
        for (KindTable.GroupVersion version : kinds.versions()) {
            for (KindInfo kind : version.kinds()) {
                assertThat(BuiltinTypes.instance().knows(kind.struct())).isTrue();
                assertThat(kinds.struct(kind.group(), kind.version(), kind.kind()))
                        .isEqualTo(kind.struct());
                assertThat(kind.subresources())
                        .allMatch(sub -> BuiltinTypes.instance().knows(sub.struct()));
            }
        }
    }
}
