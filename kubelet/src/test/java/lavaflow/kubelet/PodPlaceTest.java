package lavaflow.kubelet;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import lavaflow.kube.Json;
import lavaflow.sandbox.Limits;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodPlaceTest {
    private static PodView pod(String spec) {
        return new PodView(Json.parseObject(
                ("{\"metadata\":{\"name\":\"a\"},\"spec\":" + spec + "}").getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aPodThatWantsAUserNamespaceIsToldThatItCannotHaveOne() {
        assertThatThrownBy(() -> PodPlace.refuseUserNamespace(pod("{\"hostUsers\":false}")))
                .isInstanceOf(SandboxException.class)
                .hasMessage("this node does not support user namespaces of pods: remove hostUsers: false from the pod");
        assertThatCode(() -> PodPlace.refuseUserNamespace(pod("{\"hostUsers\":true}")))
                .doesNotThrowAnyException();
        assertThatCode(() -> PodPlace.refuseUserNamespace(pod("{}"))).doesNotThrowAnyException();
    }

    @Test
    void theClassOfAPodSaysWhoMakesItsContainers() {
        PodView classless = pod("{}");
        PodView classy = pod("{\"runtimeClassName\":\"gvisor\"}");

        assertThat(PodPlace.handler(classless, _ -> Optional.empty())).isEmpty();
        assertThat(PodPlace.handler(classy, name -> Optional.of(Json.object().put("handler", "of-" + name))))
                .isEqualTo("of-gvisor");
        assertThatThrownBy(() -> PodPlace.handler(classy, _ -> Optional.empty()))
                .hasMessage("runtimeclass.node.k8s.io \"gvisor\" not found");
    }

    @Test
    void volumesOfPodsThatEndAreNotRenewed() {
        ObjectNode pod = Json.object();
        assertThat(PodPlace.leaves(new PodView(pod))).isFalse();
        pod.putObject("status").put("phase", "Succeeded");
        assertThat(PodPlace.leaves(new PodView(pod))).isTrue();
        pod.putObject("status").put("phase", "Running");
        pod.putObject("metadata").put("deletionTimestamp", "2030-01-02T03:04:05Z");
        assertThat(PodPlace.leaves(new PodView(pod))).isTrue();
    }

    @Test
    void whatARuntimeNeedsComesOnTopOfLimits() {
        PodView limited = pod("""
                {"overhead":{"cpu":"250m","memory":"120Mi"},"containers":[{"name":"c",
                "resources":{"requests":{"cpu":"500m"},"limits":{"cpu":"1","memory":"100Mi"}}}]}""");
        PodView unlimited = pod("""
                {"overhead":{"cpu":"250m","memory":"120Mi"},"containers":[{"name":"c"}]}""");

        assertThat(PodResources.ofPod(limited, 10)).isEqualTo(new Limits(768, 125_000, 220L << 20, 10));
        assertThat(PodResources.ofPod(unlimited, 10)).isEqualTo(new Limits(256, 0, 0, 10));
    }
}
